// SPDX-License-Identifier: Apache-2.0
// Some columns of some rows at a time are brought to columns, where they stay in the first cache; then a column after
// the other, its table in registers.
#include "model/features/curve_values.h"

#include <algorithm>

namespace dorm {
namespace {

constexpr std::size_t kBlockRows = 64, kBlockColumns = 8;

struct ValueJob {
  std::span<const CurveTable> tables;
  const CurveRows& rows;
  std::span<double> scores;
  bool gaps;
};

struct ValueBlock {
  alignas(64) double x[kBlockColumns][kBlockRows] = {};
  alignas(64) double sums[kBlockRows] = {};
  std::size_t first = 0, rows = 0;  // of the job
};

/// Behind how many knots x is not below.
template <std::size_t N, std::size_t registers>
[[gnu::always_inline]] inline void find_piece(const CurveTable& table, const CodeTable<N, registers>& search,
                                              const typename LanesOf<N>::Doubles& x,
                                              typename CodeLanes<N>::Longs& piece) {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (registers == 1) {  // three comparisons
    typename LanesOf<N>::Doubles knot;
    piece = (x >= table.search[3]) & 4;
    knot = __builtin_shuffle(search.low, piece + 1);
    piece += (x >= knot) & 2;
    knot = __builtin_shuffle(search.low, piece);
    piece += (x >= knot) & 1;
    return;
  }
#endif
  piece = typename CodeLanes<N>::Longs{};
  for (const double knot : table.knots) piece -= x >= knot;
}

template <std::size_t N, std::size_t registers, bool gaps>
[[gnu::always_inline]] inline void add_column(const CurveTable& table, const double* values, std::size_t rows,
                                              double* sums) {
  using Doubles = typename LanesOf<N>::Doubles;
  const CodeTable<N, registers> levels(table.level.data()), slopes(table.slope.data()), starts(table.start.data());
  const CodeTable<N, registers == 1> search(table.search.data());
  const Doubles low = table.low - Doubles{}, high = table.high - Doubles{}, missing = table.missing - Doubles{};
  typename CodeLanes<N>::Longs piece;
  Doubles x = {}, sum = {}, level = {}, slope = {}, start = {};
  for (std::size_t i = 0; i < rows; i += N) {
    load_vector(values + i, x);
    load_vector(sums + i, sum);
    find_piece<N, registers == 1>(table, search, x, piece);
    Doubles inside = low > x ? low : x;
    inside = high < inside ? high : inside;
    levels.look_up(piece, level);
    slopes.look_up(piece, slope);
    starts.look_up(piece, start);
    const Doubles rise = slope * (inside - start), line = table.weight * x, value = (line + level) + rise;
    if constexpr (gaps)
      sum += x == x ? value : missing;
    else
      sum += value;
    store_vector(sum, sums + i);
  }
}

template <std::size_t N, bool gaps>
[[gnu::always_inline]] inline void add_table(const CurveTable& table, const double* values, std::size_t rows,
                                             double* sums) {
  constexpr std::size_t one = registers_of<N>(kLeastSlots), two = registers_of<N>(2 * kLeastSlots);
  const std::size_t registers = registers_of<N>(table.level.size());
  if (one > 0 && registers == one)
    add_column<N, one, gaps>(table, values, rows, sums);
  else if (two > 0 && registers == two)
    add_column<N, two, gaps>(table, values, rows, sums);
  else
    add_column<N, 0, gaps>(table, values, rows, sums);
}

[[gnu::always_inline]] inline double value_at(const CurveRows& rows, std::size_t i, std::size_t j) {
  if (rows.raw == nullptr) return rows.scaled[i * rows.stride + j];
  return (static_cast<double>(rows.raw[i * rows.stride + j]) - rows.shift[j]) * rows.factor[j];
}

/// Columns [j, j + count) of the rows of a block.
[[gnu::always_inline]] inline void load_some_columns(const CurveRows& rows, std::size_t j, std::size_t count,
                                                     ValueBlock& block) {
  for (std::size_t i = 0; i < block.rows; ++i)
    for (std::size_t c = 0; c < count; ++c) block.x[c][i] = value_at(rows, block.first + i, j + c);
}

#if defined(__x86_64__) && !defined(__clang__)
using Octet = LanesOf<kBlockColumns>::Doubles;

/// Eight rows of eight values to columns.
[[gnu::always_inline]] inline void transpose(Octet* a) {
  using Longs = CodeLanes<kBlockColumns>::Longs;
  Octet b[kBlockColumns];
#pragma GCC unroll 8
  for (std::size_t k = 0; k < 8; k += 2) {
    b[k] = __builtin_shuffle(a[k], a[k + 1], Longs{0, 8, 2, 10, 4, 12, 6, 14});
    b[k + 1] = __builtin_shuffle(a[k], a[k + 1], Longs{1, 9, 3, 11, 5, 13, 7, 15});
  }
  Octet c[kBlockColumns];
#pragma GCC unroll 8
  for (std::size_t pair = 0; pair < 4; ++pair) {
    const std::size_t k = pair % 2 + pair / 2 * 4;
    c[k] = __builtin_shuffle(b[k], b[k + 2], Longs{0, 1, 8, 9, 4, 5, 12, 13});
    c[k + 2] = __builtin_shuffle(b[k], b[k + 2], Longs{2, 3, 10, 11, 6, 7, 14, 15});
  }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < 4; ++k) {
    a[k] = __builtin_shuffle(c[k], c[k + 4], Longs{0, 1, 2, 3, 8, 9, 10, 11});
    a[k + 4] = __builtin_shuffle(c[k], c[k + 4], Longs{4, 5, 6, 7, 12, 13, 14, 15});
  }
}

/// The same as load_some_columns() of eight. Lanes behind the last row repeat it.
[[gnu::always_inline]] inline void load_eight_columns(const CurveRows& rows, std::size_t j, ValueBlock& block) {
  Octet shift = {}, factor = {}, a[kBlockColumns] = {};
  LanesOf<kBlockColumns>::Floats narrow;
  if (rows.raw != nullptr) {
    load_vector(rows.shift + j, shift);
    load_vector(rows.factor + j, factor);
  }
  for (std::size_t i = 0; i < block.rows; i += kBlockColumns) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kBlockColumns; ++k) {
      const std::size_t row = block.first + std::min(i + k, block.rows - 1);
      if (rows.raw == nullptr) {
        load_vector(rows.scaled + row * rows.stride + j, a[k]);
      } else {
        load_vector(rows.raw + row * rows.stride + j, narrow);
        a[k] = (__builtin_convertvector(narrow, Octet) - shift) * factor;
      }
    }
    transpose(a);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kBlockColumns; ++k) store_vector(a[k], block.x[k] + i);
  }
}
#endif

template <std::size_t N>
[[gnu::always_inline]] inline void load_columns(const CurveRows& rows, std::size_t j, std::size_t count,
                                                ValueBlock& block) {
#if defined(__x86_64__) && !defined(__clang__)
  if (N == kBlockColumns && count == kBlockColumns) return load_eight_columns(rows, j, block);
#endif
  load_some_columns(rows, j, count, block);
}

template <std::size_t N>
[[gnu::always_inline]] inline void add_values(const ValueJob& job) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  ValueBlock block;
  std::size_t fetched = 0;
  for (block.first = 0; block.first < job.scores.size(); block.first += kBlockRows) {
    block.rows = std::min(kBlockRows, job.scores.size() - block.first);
    std::copy_n(job.scores.data() + block.first, block.rows, block.sums);
    for (std::size_t j = 0; j < job.tables.size(); j += kBlockColumns) {
      const std::size_t count = std::min(kBlockColumns, job.tables.size() - j);
      load_columns<N>(job.rows, j, count, block);
      for (std::size_t c = 0; c < count; ++c) {
        if (job.gaps)
          add_table<N, true>(job.tables[j + c], block.x[c], block.rows, block.sums);
        else
          add_table<N, false>(job.tables[j + c], block.x[c], block.rows, block.sums);
        for (std::size_t k = 0; k < block.rows && fetched < job.rows.upcoming.size(); k += kLine, fetched += kLine)
          __builtin_prefetch(job.rows.upcoming.data() + fetched, 0, 2);
      }
    }
    std::copy_n(block.sums, block.rows, job.scores.data() + block.first);
  }
}

}  // namespace

void add_curves(std::span<const CurveTable> tables, const CurveRows& rows, std::span<double> scores, bool gaps,
                SimdLevel level_of_cpu) {
  const ValueJob job{tables, rows, scores, gaps};
  (level_of_cpu == SimdLevel::avx512 ? compiled_for<add_values<8>>(level_of_cpu)
   : level_of_cpu == SimdLevel::avx2 ? compiled_for<add_values<4>>(level_of_cpu)
                                     : compiled_for<add_values<2>>(level_of_cpu))(job);
}

}  // namespace dorm

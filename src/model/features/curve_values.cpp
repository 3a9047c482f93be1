// SPDX-License-Identifier: Apache-2.0
// Some columns of some rows at a time are brought to columns, where they stay in the first cache; then a column after
// the other, its table in registers. Pieces of raw values are found in 32 bits, twice as many at once, by knots that
// were scaled back.
#include "model/features/curve_values.h"

#include <algorithm>
#include <bit>

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
  alignas(64) double scaled[kBlockColumns][kBlockRows] = {};
  alignas(64) float raw[kBlockColumns][kBlockRows] = {};
  alignas(64) double sums[kBlockRows] = {};
  std::size_t first = 0, rows = 0;  // of the job
};

/// Of some values, behind how many knots each is not below.
struct ValuePieces {
  alignas(64) std::int64_t wide[kBlockRows];    // of scaled values
  alignas(64) std::int32_t narrow[kBlockRows];  // of raw ones
};

/// Three comparisons with seven knots.
template <class Integers, class Values, class T>
[[gnu::always_inline]] inline void search_three([[maybe_unused]] const Values& x, [[maybe_unused]] const Values& knots,
                                                [[maybe_unused]] T middle, [[maybe_unused]] Integers& piece) {
#if !defined(__clang__)
  Values knot;
  piece = (x >= middle) & 4;
  knot = __builtin_shuffle(knots, piece + 1);
  piece += (x >= knot) & 2;
  knot = __builtin_shuffle(knots, piece);
  piece += (x >= knot) & 1;
#endif
}

template <std::size_t N, std::size_t registers>
[[gnu::always_inline]] inline void find_pieces(const CurveTable& table, const double* values, std::size_t rows,
                                               ValuePieces& pieces) {
  typename LanesOf<N>::Doubles x = {}, knots = {};
  typename CodeLanes<N>::Longs piece = {};
  if constexpr (registers == 1) load_vector(table.search.data(), knots);
  for (std::size_t i = 0; i < rows; i += N) {
    load_vector(values + i, x);
    if constexpr (registers == 1) {
      search_three(x, knots, table.search[3], piece);
    } else {
      piece = typename CodeLanes<N>::Longs{};
      for (const double knot : table.knots) piece -= x >= knot;
    }
    store_vector(piece, pieces.wide + i);
  }
}

template <std::size_t N, std::size_t registers>
[[gnu::always_inline]] inline void find_pieces(const CurveTable& table, const float* values, std::size_t rows,
                                               ValuePieces& pieces) {
  using Floats = typename LanesOf<2 * N>::Floats;
  using Integers = typename LanesOf<2 * N>::Integers;
  Floats x = {}, knots = {};
  Integers piece = {};
  if constexpr (registers == 1) load_vector(table.raw_search.data(), knots);
  for (std::size_t i = 0; i < rows; i += 2 * N) {
    load_vector(values + i, x);
    if constexpr (registers == 1) {
      search_three(x, knots, table.raw_search[3], piece);
    } else {
      piece = Integers{};
      for (const float knot : table.raw_knots) piece -= x >= knot;
    }
    store_vector(piece, pieces.narrow + i);
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void load_values(const CurveTable&, const double* values, const ValuePieces& pieces,
                                               std::size_t i, typename LanesOf<N>::Doubles& x,
                                               typename CodeLanes<N>::Longs& piece) {
  load_vector(values + i, x);
  load_vector(pieces.wide + i, piece);
}

template <std::size_t N>
[[gnu::always_inline]] inline void load_values(const CurveTable& table, const float* values, const ValuePieces& pieces,
                                               std::size_t i, typename LanesOf<N>::Doubles& x,
                                               typename CodeLanes<N>::Longs& piece) {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (N == kLeastSlots) {  // gcc 12 converts half by half
    asm("vcvtps2pd %1, %0" : "=v"(x) : "m"(*reinterpret_cast<const float(*)[N]>(values + i)));
    asm("vpmovsxdq %1, %0" : "=v"(piece) : "m"(*reinterpret_cast<const std::int32_t(*)[N]>(pieces.narrow + i)));
    x = (x - table.shift) * table.factor;
    return;
  }
#endif
  for (std::size_t k = 0; k < N; ++k) {
    x[k] = static_cast<double>(values[i + k]);
    piece[k] = pieces.narrow[i + k];
  }
  x = (x - table.shift) * table.factor;
}

// First all pieces, then all values: the processor looks ahead further in two short chains of instructions than in a
// long one.
template <std::size_t N, std::size_t registers, bool gaps, class T>
[[gnu::always_inline]] inline void add_column(const CurveTable& table, const T* values, std::size_t rows,
                                              double* sums) {
  using Doubles = typename LanesOf<N>::Doubles;
  ValuePieces pieces;
  find_pieces<N, registers>(table, values, rows, pieces);
  const CodeTable<N, registers> levels(table.level.data()), slopes(table.slope.data()), starts(table.start.data());
  const Doubles low = table.low - Doubles{}, high = table.high - Doubles{}, missing = table.missing - Doubles{};
  typename CodeLanes<N>::Longs piece = {};
  Doubles x = {}, sum = {}, level = {}, slope = {}, start = {};
  for (std::size_t i = 0; i < rows; i += N) {
    load_values<N>(table, values, pieces, i, x, piece);
    load_vector(sums + i, sum);
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

template <std::size_t N, bool gaps, class T>
[[gnu::always_inline]] inline void add_table(const CurveTable& table, const T* values, std::size_t rows, double* sums) {
  constexpr std::size_t one = registers_of<N>(kLeastSlots), two = registers_of<N>(2 * kLeastSlots);
  const std::size_t registers = registers_of<N>(table.level.size());
  if (one > 0 && registers == one)
    add_column<N, one, gaps>(table, values, rows, sums);
  else if (two > 0 && registers == two)
    add_column<N, two, gaps>(table, values, rows, sums);
  else
    add_column<N, 0, gaps>(table, values, rows, sums);
}

/// Columns [j, j + count) of the rows of a block.
template <class T>
[[gnu::always_inline]] inline void load_some_columns(const T* from, std::size_t stride, std::size_t count,
                                                     std::size_t rows, T (&to)[kBlockColumns][kBlockRows]) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < count; ++c) to[c][i] = from[i * stride + c];
}

#if !defined(__clang__)
template <class Mask, class Values>
[[gnu::always_inline]] inline void shuffle_pair(Values& a, Values& b, const Mask& first, const Mask& second) {
  const Values x = __builtin_shuffle(a, b, first);
  b = __builtin_shuffle(a, b, second);
  a = x;
}

/// Eight rows of eight values to columns, in the order of kTransposed.
[[gnu::always_inline]] inline void transpose(LanesOf<kBlockColumns>::Floats* a) {
  using Mask = LanesOf<kBlockColumns>::Integers;
#pragma GCC unroll 8
  for (std::size_t k = 0; k < 8; k += 2)
    shuffle_pair(a[k], a[k + 1], Mask{0, 8, 1, 9, 4, 12, 5, 13}, Mask{2, 10, 3, 11, 6, 14, 7, 15});
#pragma GCC unroll 8
  for (std::size_t pair = 0; pair < 4; ++pair) {
    const std::size_t k = pair % 2 + pair / 2 * 4;
    shuffle_pair(a[k], a[k + 2], Mask{0, 1, 8, 9, 4, 5, 12, 13}, Mask{2, 3, 10, 11, 6, 7, 14, 15});
  }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < 4; ++k)
    shuffle_pair(a[k], a[k + 4], Mask{0, 1, 2, 3, 8, 9, 10, 11}, Mask{4, 5, 6, 7, 12, 13, 14, 15});
}
constexpr std::size_t kTransposed[kBlockColumns] = {0, 2, 1, 3, 4, 6, 5, 7};

/// The same as load_some_columns() of eight. Lanes behind the last row repeat it.
[[gnu::always_inline]] inline void load_eight_columns(const float* from, std::size_t stride, std::size_t rows,
                                                      float (&to)[kBlockColumns][kBlockRows]) {
  LanesOf<kBlockColumns>::Floats a[kBlockColumns] = {};
  const float* const last = from + (rows - 1) * stride;
  for (std::size_t i = 0; i < rows; i += kBlockColumns) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kBlockColumns; ++k) {
      load_vector(from, a[k]);
      from += from < last ? stride : 0;
    }
    transpose(a);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kBlockColumns; ++k) store_vector(a[k], to[kTransposed[k]] + i);
  }
}
#endif

template <std::size_t N, class T>
[[gnu::always_inline]] inline void load_columns(const T* from, std::size_t stride, std::size_t count, std::size_t rows,
                                                T (&to)[kBlockColumns][kBlockRows]) {
#if !defined(__clang__)
  if constexpr (N >= 4 && sizeof(T) == sizeof(float))
    if (count == kBlockColumns) return load_eight_columns(from, stride, rows, to);
#endif
  load_some_columns(from, stride, count, rows, to);
}

/// Column after column of one block; what comes next is fetched meanwhile.
template <std::size_t N, class T>
[[gnu::always_inline]] inline void add_values_of(const ValueJob& job, const T* from, T (&columns)[8][kBlockRows],
                                                 ValueBlock& block, std::size_t& fetched) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (std::size_t j = 0; j < job.tables.size(); j += kBlockColumns) {
    const std::size_t count = std::min(kBlockColumns, job.tables.size() - j);
    load_columns<N>(from + block.first * job.rows.stride + j, job.rows.stride, count, block.rows, columns);
    for (std::size_t c = 0; c < count; ++c) {
      if (job.gaps)
        add_table<N, true>(job.tables[j + c], columns[c], block.rows, block.sums);
      else
        add_table<N, false>(job.tables[j + c], columns[c], block.rows, block.sums);
      for (std::size_t k = 0; k < block.rows && fetched < job.rows.upcoming.size(); k += kLine, fetched += kLine)
        __builtin_prefetch(job.rows.upcoming.data() + fetched, 0, 2);
    }
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void add_values(const ValueJob& job) {
  ValueBlock block;
  std::size_t fetched = 0;
  for (block.first = 0; block.first < job.scores.size(); block.first += kBlockRows) {
    block.rows = std::min(kBlockRows, job.scores.size() - block.first);
    std::copy_n(job.scores.data() + block.first, block.rows, block.sums);
    if (job.rows.raw != nullptr)
      add_values_of<N>(job, job.rows.raw, block.raw, block, fetched);
    else
      add_values_of<N>(job, job.rows.scaled, block.scaled, block, fetched);
    std::copy_n(block.sums, block.rows, job.scores.data() + block.first);
  }
}

// Finite numbers in 32 bits by their rank.
float of_rank(std::int64_t rank) {
  const float size = std::bit_cast<float>(static_cast<std::uint32_t>(rank < 0 ? -rank : rank));
  return rank < 0 ? -size : size;
}

std::int64_t rank_of(double x) {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  const auto narrow = static_cast<float>(std::clamp(x, -kLargest, kLargest));
  const std::int64_t size = std::bit_cast<std::uint32_t>(narrow) & 0x7fffffffU;
  return narrow < 0 ? -size : size;
}

/// The least v with (v - shift) * factor not below the knot, which grows with v; infinity: none.
float least_raw(double knot, double shift, double factor) {
  const auto reached = [&](std::int64_t rank) { return (static_cast<double>(of_rank(rank)) - shift) * factor >= knot; };
  const std::int64_t most = rank_of(std::numeric_limits<double>::max());
  std::int64_t above = factor > 0 ? rank_of(knot / factor + shift) : 0, step = 1;  // most often nearly there
  while (above < most && !reached(above)) above = std::min(most, above + step), step *= 2;
  if (!reached(above)) return std::numeric_limits<float>::infinity();
  std::int64_t below = above;
  for (step = 1; below >= -most && reached(below); step *= 2) below = std::max(-most - 1, below - step);
  while (above - below > 1) {
    const std::int64_t middle = below + (above - below) / 2;
    (reached(middle) ? above : below) = middle;
  }
  return of_rank(above);
}

}  // namespace

void CurveTable::set_knots(std::span<const double> given) {
  knots.assign(given.begin(), given.end());
  std::copy_n(knots.begin(), std::min(knots.size(), search.size()), search.begin());
}

void CurveTable::set_scaling(double by_shift, double by_factor) {
  shift = by_shift;
  factor = by_factor;
  raw_knots.clear();
  for (const double knot : knots) raw_knots.push_back(least_raw(knot, shift, factor));
  std::copy_n(raw_knots.begin(), std::min(raw_knots.size(), raw_search.size()), raw_search.begin());
}

void add_curves(std::span<const CurveTable> tables, const CurveRows& rows, std::span<double> scores, bool gaps,
                SimdLevel level_of_cpu) {
  const ValueJob job{tables, rows, scores, gaps};
  (level_of_cpu == SimdLevel::avx512 ? compiled_for<add_values<8>>(level_of_cpu)
   : level_of_cpu == SimdLevel::avx2 ? compiled_for<add_values<4>>(level_of_cpu)
                                     : compiled_for<add_values<2>>(level_of_cpu))(job);
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "model/features/curve_kernels.h"

#include <algorithm>

#include "base/vector/lanes_of.h"
#include "data/scale/column_lanes.h"

namespace dorm {
namespace {

constexpr std::size_t kVectorsAtOnce = 4;
static_assert(kCodePadding >= 8 * kVectorsAtOnce);

struct CodeJob {
  std::span<const CurveSlots> features;
  const std::uint16_t* codes;
  std::size_t documents;
  const double *level, *slope;
  double* scores;
  std::span<const std::uint16_t> upcoming;
};

template <std::size_t N>
struct CodeLanes {
  typedef std::uint16_t Halves __attribute__((vector_size(N * sizeof(std::uint16_t))));
  typedef std::int64_t Longs __attribute__((vector_size(N * sizeof(std::int64_t))));
};

template <std::size_t N>
[[gnu::always_inline]] inline void load_codes(const std::uint16_t* from, typename CodeLanes<N>::Longs& code,
                                              typename LanesOf<N>::Doubles& number) {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (N == kLeastSlots) {  // gcc 12 converts one by one
    asm("vpmovzxwq %1, %0" : "=v"(code) : "m"(*reinterpret_cast<const std::uint16_t(*)[N]>(from)));
    number = __builtin_convertvector(code, typename LanesOf<N>::Doubles);
    return;
  }
#endif
  for (std::size_t k = 0; k < N; ++k) {
    code[k] = from[k];
    number[k] = static_cast<double>(static_cast<std::int32_t>(from[k]));
  }
}

/// The tables of one feature in registers, of 8 or 16 slots, or in memory.
template <std::size_t N, std::size_t registers>
struct CodeTable {
  using Doubles = typename LanesOf<N>::Doubles;
  const double* from;
  Doubles low = {}, high = {};

  [[gnu::always_inline]] explicit CodeTable(const double* table) : from(table) {
    if constexpr (registers > 0) load_vector(table, low);
    if constexpr (registers > 1) load_vector(table + N, high);
  }
  [[gnu::always_inline]] void look_up(const typename CodeLanes<N>::Longs& index, Doubles& out) const {
#if defined(__x86_64__) && !defined(__clang__)
    if constexpr (registers == 1) {
      out = __builtin_shuffle(low, index);
      return;
    }
    if constexpr (registers == 2) {
      out = __builtin_shuffle(low, high, index);
      return;
    }
#endif
    for (std::size_t k = 0; k < N; ++k) out[k] = from[index[k]];
  }
};

template <std::size_t N, std::size_t vectors, std::size_t registers>
[[gnu::always_inline]] inline void add_feature(const CodeJob& job, const CurveSlots& feature,
                                               const std::uint16_t* codes, typename LanesOf<N>::Doubles* sums) {
  const CodeTable<N, registers> levels(job.level + feature.first), slopes(job.slope + feature.first);
  typename LanesOf<N>::Doubles number = {}, level = {}, slope = {};
  typename CodeLanes<N>::Longs code = {};
#pragma GCC unroll 4
  for (std::size_t v = 0; v < vectors; ++v) {
    load_codes<N>(codes + v * N, code, number);
    code >>= static_cast<std::int64_t>(feature.shift);
    levels.look_up(code, level);
    slopes.look_up(code, slope);
    slope *= number;
    sums[v] += level + slope;
  }
}

/// The scores of `vectors` times N documents from `first` on; lanes behind the last document are not stored.
template <std::size_t N, std::size_t vectors>
[[gnu::always_inline]] inline void score_block(const CodeJob& job, std::size_t first, std::size_t& fetched) {
  constexpr std::size_t kLine = 64 / sizeof(std::uint16_t);
  typename LanesOf<N>::Doubles sums[vectors] = {};
  const std::uint16_t* codes = job.codes + first;
  for (const CurveSlots& feature : job.features) {
    if (N == kLeastSlots && feature.count == N)
      add_feature<N, vectors, N == kLeastSlots ? 1 : 0>(job, feature, codes, sums);
    else if (N == kLeastSlots && feature.count == 2 * N)
      add_feature<N, vectors, N == kLeastSlots ? 2 : 0>(job, feature, codes, sums);
    else
      add_feature<N, vectors, 0>(job, feature, codes, sums);
    codes += job.documents;
    for (std::size_t v = 0; v < vectors && fetched < job.upcoming.size(); v += 2, fetched += kLine)
      __builtin_prefetch(job.upcoming.data() + fetched, 0, 2);
  }
#pragma GCC unroll 4
  for (std::size_t v = 0; v < vectors; ++v)
    if (first + v * N < job.documents) store_some(sums[v], job.documents - first - v * N, job.scores + first + v * N);
}

template <std::size_t N>
[[gnu::always_inline]] inline void score_all(const CodeJob& job) {
  std::size_t i = 0, fetched = 0;
  for (; i + kVectorsAtOnce * N <= job.documents; i += kVectorsAtOnce * N)
    score_block<N, kVectorsAtOnce>(job, i, fetched);
  for (; i + 2 * N <= job.documents; i += 2 * N) score_block<N, 2>(job, i, fetched);
  for (; i < job.documents; i += N) score_block<N, 1>(job, i, fetched);
}

struct SumJob {
  std::span<const CurveSlots> features;
  const std::uint16_t* codes;
  std::span<const double> coefficients;
  double* sums;
};

[[gnu::always_inline]] inline void add_all(const SumJob& job) {
  using Pair = LanesOf<2>::Doubles;
  const std::size_t documents = job.coefficients.size();
  for (std::size_t i = 0; i < documents; ++i) {
    const double coefficient = job.coefficients[i];
    if (coefficient == 0) continue;
    const std::uint16_t* code = job.codes + i;
    Pair sum, both = {coefficient, coefficient};
    for (const CurveSlots& feature : job.features) {
      const std::uint32_t number = *code;
      double* const slot = job.sums + 2 * std::size_t{feature.first + (number >> feature.shift)};
      const Pair added = {1.0, static_cast<double>(static_cast<std::int32_t>(number))};
      load_vector(slot, sum);
      sum += added * both;
      store_vector(sum, slot);
      code += documents;
    }
  }
}

struct ValueJob {
  std::span<const CurveTable> tables;
  const double* rows;
  std::size_t stride;
  std::span<double> scores;
  bool gaps;
};

/// Behind how many knots x is not below.
template <std::size_t N, std::size_t registers>
[[gnu::always_inline]] inline void find_piece(const CurveTable& table, const typename LanesOf<N>::Doubles& x,
                                              typename CodeLanes<N>::Longs& piece) {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (registers == 1) {  // three comparisons
    typename LanesOf<N>::Doubles knots, knot;
    load_vector(table.search.data(), knots);
    piece = (x >= table.search[3]) & 4;
    knot = __builtin_shuffle(knots, piece + 1);
    piece += (x >= knot) & 2;
    knot = __builtin_shuffle(knots, piece);
    piece += (x >= knot) & 1;
    return;
  }
#endif
  piece = typename CodeLanes<N>::Longs{};
  for (const double knot : table.knots) piece -= x >= knot;
}

template <std::size_t N, std::size_t registers>
[[gnu::always_inline]] inline void add_value(const CurveTable& table, bool gaps, const typename LanesOf<N>::Doubles& x,
                                             typename LanesOf<N>::Doubles& sum) {
  using Doubles = typename LanesOf<N>::Doubles;
  typename CodeLanes<N>::Longs piece;
  find_piece<N, registers>(table, x, piece);
  const Doubles low = table.low - Doubles{}, high = table.high - Doubles{};
  Doubles level = {}, slope = {}, start = {}, inside = low > x ? low : x;
  inside = high < inside ? high : inside;
  CodeTable<N, registers>(table.level.data()).look_up(piece, level);
  CodeTable<N, registers>(table.slope.data()).look_up(piece, slope);
  CodeTable<N, registers>(table.start.data()).look_up(piece, start);
  const Doubles rise = slope * (inside - start), line = table.weight * x, value = (line + level) + rise;
  if (gaps)
    sum += x == x ? value : table.missing - Doubles{};
  else
    sum += value;
}

template <std::size_t N>
[[gnu::always_inline]] inline void add_column(const CurveTable& table, bool gaps, const typename LanesOf<N>::Doubles& x,
                                              typename LanesOf<N>::Doubles& sum) {
  if (N == kLeastSlots && table.level.size() == N)
    add_value<N, N == kLeastSlots ? 1 : 0>(table, gaps, x, sum);
  else if (N == kLeastSlots && table.level.size() == 2 * N)
    add_value<N, N == kLeastSlots ? 2 : 0>(table, gaps, x, sum);
  else
    add_value<N, 0>(table, gaps, x, sum);
}

/// N rows of N values to columns.
template <std::size_t N>
[[gnu::always_inline]] inline void load_columns(const double* const* rows, std::size_t first,
                                                typename LanesOf<N>::Doubles* columns) {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (N == kLeastSlots) {
    using Longs = typename CodeLanes<N>::Longs;
    typename LanesOf<N>::Doubles a[N], b[N];
#pragma GCC unroll 8
    for (std::size_t k = 0; k < N; ++k) load_vector(rows[k] + first, a[k]);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < N; k += 2) {
      b[k] = __builtin_shuffle(a[k], a[k + 1], Longs{0, 8, 2, 10, 4, 12, 6, 14});
      b[k + 1] = __builtin_shuffle(a[k], a[k + 1], Longs{1, 9, 3, 11, 5, 13, 7, 15});
    }
#pragma GCC unroll 8
    for (std::size_t pair = 0; pair < N / 2; ++pair) {
      const std::size_t k = pair % 2 + pair / 2 * 4;
      a[k] = __builtin_shuffle(b[k], b[k + 2], Longs{0, 1, 8, 9, 4, 5, 12, 13});
      a[k + 2] = __builtin_shuffle(b[k], b[k + 2], Longs{2, 3, 10, 11, 6, 7, 14, 15});
    }
#pragma GCC unroll 8
    for (std::size_t k = 0; k < N / 2; ++k) {
      columns[k] = __builtin_shuffle(a[k], a[k + 4], Longs{0, 1, 2, 3, 8, 9, 10, 11});
      columns[k + 4] = __builtin_shuffle(a[k], a[k + 4], Longs{4, 5, 6, 7, 12, 13, 14, 15});
    }
    return;
  }
#endif
  for (std::size_t j = 0; j < N; ++j)
    for (std::size_t k = 0; k < N; ++k) columns[j][k] = rows[k][first + j];
}

/// N documents; those behind the last repeat it, and are not stored.
template <std::size_t N>
[[gnu::always_inline]] inline void add_documents(const ValueJob& job, std::size_t first) {
  using Doubles = typename LanesOf<N>::Doubles;
  Doubles sum = {}, x = {}, columns[N] = {};
  const double* rows[N];
  for (std::size_t k = 0; k < N; ++k) rows[k] = job.rows + std::min(first + k, job.scores.size() - 1) * job.stride;
  std::size_t j = 0;
  for (; j + N <= job.tables.size(); j += N) {
    load_columns<N>(rows, j, columns);
    for (std::size_t c = 0; c < N; ++c) add_column<N>(job.tables[j + c], job.gaps, columns[c], sum);
  }
  for (; j < job.tables.size(); ++j) {
    for (std::size_t k = 0; k < N; ++k) x[k] = rows[k][j];
    add_column<N>(job.tables[j], job.gaps, x, sum);
  }
  for (std::size_t k = 0; k < N && first + k < job.scores.size(); ++k) job.scores[first + k] += sum[k];
}

template <std::size_t N>
[[gnu::always_inline]] inline void add_values(const ValueJob& job) {
  for (std::size_t i = 0; i < job.scores.size(); i += N) add_documents<N>(job, i);
}

}  // namespace

void score_codes(std::span<const CurveSlots> features, const std::uint16_t* codes, const double* level,
                 const double* slope, std::span<double> scores, std::span<const std::uint16_t> upcoming,
                 SimdLevel level_of_cpu) {
  const CodeJob job{features, codes, scores.size(), level, slope, scores.data(), upcoming};
  (level_of_cpu == SimdLevel::avx512 ? compiled_for<score_all<8>>(level_of_cpu)
   : level_of_cpu == SimdLevel::avx2 ? compiled_for<score_all<4>>(level_of_cpu)
                                     : compiled_for<score_all<2>>(level_of_cpu))(job);
}

// Document by document, so that consecutive additions are to different slots.
void add_codes(std::span<const CurveSlots> features, const std::uint16_t* codes, std::span<const double> coefficients,
               double* sums, SimdLevel level_of_cpu) {
  compiled_for<add_all>(level_of_cpu)({features, codes, coefficients, sums});
}

void add_curves(std::span<const CurveTable> tables, const double* rows, std::size_t stride, std::span<double> scores,
                bool gaps, SimdLevel level_of_cpu) {
  const ValueJob job{tables, rows, stride, scores, gaps};
  (level_of_cpu == SimdLevel::avx512 ? compiled_for<add_values<8>>(level_of_cpu)
   : level_of_cpu == SimdLevel::avx2 ? compiled_for<add_values<4>>(level_of_cpu)
                                     : compiled_for<add_values<2>>(level_of_cpu))(job);
}

}  // namespace dorm

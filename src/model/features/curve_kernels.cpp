// SPDX-License-Identifier: Apache-2.0
#include "model/features/curve_kernels.h"

#include <algorithm>

#include "data/scale/column_lanes.h"

namespace dorm {
namespace {

constexpr std::size_t kVectorsAtOnce = 8;
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

template <std::size_t N, std::size_t vectors, std::size_t registers>
[[gnu::always_inline]] inline void add_feature(const CodeJob& job, const CurveSlots& feature,
                                               const std::uint16_t* codes, typename LanesOf<N>::Doubles* sums) {
  const CodeTable<N, registers> levels(job.level + feature.first), slopes(job.slope + feature.first);
  typename LanesOf<N>::Doubles number = {}, level = {}, slope = {};
  typename CodeLanes<N>::Longs code = {};
#pragma GCC unroll 8
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
  constexpr std::size_t one = registers_of<N>(kLeastSlots), two = registers_of<N>(2 * kLeastSlots);
  typename LanesOf<N>::Doubles sums[vectors] = {};
  const std::uint16_t* codes = job.codes + first;
  for (const CurveSlots& feature : job.features) {
    const std::size_t registers = registers_of<N>(feature.count);
    if (one > 0 && registers == one)
      add_feature<N, vectors, one>(job, feature, codes, sums);
    else if (two > 0 && registers == two)
      add_feature<N, vectors, two>(job, feature, codes, sums);
    else
      add_feature<N, vectors, 0>(job, feature, codes, sums);
    codes += job.documents;
    for (std::size_t v = 0; v < vectors && fetched < job.upcoming.size(); v += 2, fetched += kLine)
      __builtin_prefetch(job.upcoming.data() + fetched, 0, 2);
  }
#pragma GCC unroll 8
  for (std::size_t v = 0; v < vectors; ++v)
    if (first + v * N < job.documents) store_some(sums[v], job.documents - first - v * N, job.scores + first + v * N);
}

template <std::size_t N>
[[gnu::always_inline]] inline void score_all(const CodeJob& job) {
  std::size_t fetched = 0;
  for (std::size_t i = 0; i < job.documents;) {
    const std::size_t vectors = (job.documents - i + N - 1) / N;
    if (vectors > 4) {
      score_block<N, kVectorsAtOnce>(job, i, fetched);
      i += kVectorsAtOnce * N;
    } else if (vectors > 2) {
      score_block<N, 4>(job, i, fetched);
      i += 4 * N;
    } else {
      score_block<N, 2>(job, i, fetched);
      i += 2 * N;
    }
  }
}

struct SumJob {
  std::span<const CurveSlots> features;
  const std::uint16_t* codes;
  std::span<const double> coefficients;
  double* sums;
};

/// Document by document, so that consecutive additions are to different slots. Without `eights`, features of as many
/// slots are left out.
[[gnu::always_inline]] inline void add_plainly(const SumJob& job, bool eights) {
  const std::size_t documents = job.coefficients.size();
  for (std::size_t i = 0; i < documents; ++i) {
    const double coefficient = job.coefficients[i];
    if (coefficient == 0) continue;
    const std::uint16_t* code = job.codes + i;
    for (const CurveSlots& feature : job.features) {
      const std::uint32_t number = *code;
      code += documents;
      if (!eights && feature.count == kLeastSlots) continue;
      double* const slot = job.sums + 2 * std::size_t{feature.first} + (number >> feature.shift);
      slot[0] += coefficient;
      slot[feature.count] += coefficient * static_cast<double>(static_cast<std::int32_t>(number));
    }
  }
}

/// Eights of documents, one of them at least with a coefficient, and what they have of some features.
struct ListedDocuments {
  static constexpr std::size_t kMost = 64, kFeatures = 4;
  std::size_t eights = 0, count = 0;
  std::size_t first[kMost / 8];    // of each eight
  std::uint32_t place[kMost + 1];  // of those with a coefficient, among all
  alignas(64) double coefficients[kMost];
  alignas(64) double products[kFeatures][kMost];
  alignas(64) std::int64_t slots[kFeatures][kMost];

  /// As many as there is room for; returns the next.
  [[gnu::always_inline]] std::size_t fill(std::span<const double> all, std::size_t document) {
    eights = count = 0;
    for (; document < all.size() && eights < kMost / 8; document += 8) {
      const std::size_t before = count;
      for (std::size_t k = 0; k < 8; ++k) {
        const double coefficient = document + k < all.size() ? all[document + k] : 0;
        coefficients[8 * eights + k] = coefficient;
        place[count] = static_cast<std::uint32_t>(8 * eights + k);
        count += coefficient != 0 ? 1 : 0;
      }
      if (count > before) first[eights++] = document;
    }
    return document;
  }
};

/// Features of eight slots from j on: all their sums stay in registers.
template <std::size_t N, std::size_t features>
[[gnu::always_inline]] inline void add_eights(const SumJob& job, std::size_t j, ListedDocuments& list) {
  using Longs = typename CodeLanes<N>::Longs;
  using Doubles = typename LanesOf<N>::Doubles;
  Doubles number = {}, coefficient = {}, counts[features], places[features];
  Longs lanes = {}, code = {};
  for (std::size_t k = 0; k < N; ++k) lanes[k] = static_cast<std::int64_t>(k);
#pragma GCC unroll 4
  for (std::size_t f = 0; f < features; ++f) {
    const std::uint16_t* const codes = job.codes + (j + f) * job.coefficients.size();
    for (std::size_t e = 0; e < list.eights; ++e) {
      load_codes<N>(codes + list.first[e], code, number);
      load_vector(list.coefficients + e * N, coefficient);
      number *= coefficient;
      code >>= static_cast<std::int64_t>(job.features[j + f].shift);
      store_vector(number, list.products[f] + e * N);
      store_vector(code, list.slots[f] + e * N);
    }
    load_vector(job.sums + 2 * std::size_t{job.features[j + f].first}, counts[f]);
    load_vector(job.sums + 2 * std::size_t{job.features[j + f].first} + N, places[f]);
  }
  for (std::size_t k = 0; k < list.count; ++k) {
    const std::size_t i = list.place[k];
#pragma GCC unroll 4
    for (std::size_t f = 0; f < features; ++f) {
      const Longs hit = lanes == list.slots[f][i];
      counts[f] = hit ? counts[f] + list.coefficients[i] : counts[f];
      places[f] = hit ? places[f] + list.products[f][i] : places[f];
    }
  }
#pragma GCC unroll 4
  for (std::size_t f = 0; f < features; ++f) {
    store_vector(counts[f], job.sums + 2 * std::size_t{job.features[j + f].first});
    store_vector(places[f], job.sums + 2 * std::size_t{job.features[j + f].first} + N);
  }
}

[[gnu::always_inline]] inline void add_listed(const SumJob& job) {
  constexpr std::size_t kMost = ListedDocuments::kFeatures;
  ListedDocuments list;
  bool others = false;
  for (std::size_t i = 0; i < job.coefficients.size();) {
    i = list.fill(job.coefficients, i);
    for (std::size_t j = 0; j < job.features.size();) {
      std::size_t run = 0;
      while (run < kMost && j + run < job.features.size() && job.features[j + run].count == kLeastSlots) ++run;
      if (run == kMost)
        add_eights<kLeastSlots, kMost>(job, j, list);
      else if (run > 0)
        add_eights<kLeastSlots, 1>(job, j, list);
      others = others || run == 0;
      j += run == kMost ? kMost : 1;
    }
  }
  if (others) add_plainly(job, false);
}

template <std::size_t N>
[[gnu::always_inline]] inline void add_all(const SumJob& job) {
  if constexpr (N == kLeastSlots)
    add_listed(job);
  else
    add_plainly(job, true);
}

struct FoldJob {
  std::span<const CurveSlots> features;
  const double *sums, *line, *line_rise;
  bool lines;
  double* direction;
};

[[gnu::always_inline]] inline double places_of(std::uint32_t shift) { return static_cast<double>((1U << shift) - 1); }

/// From the last slot to the first.
[[gnu::always_inline]] inline void fold_feature(const FoldJob& job, const CurveSlots& feature, double& own) {
  const double *const counts = job.sums + 2 * std::size_t{feature.first}, *const places = counts + feature.count;
  const double *const line = job.line + feature.first, *const line_rise = job.line_rise + feature.first;
  const double share = job.lines ? 1 / places_of(feature.shift) : 0;
  double behind = 0;
  own = 0;
  for (std::size_t b = feature.count; b-- > 0;) {
    const double place = places[b] - counts[b] * static_cast<double>(b << feature.shift);
    own += counts[b] * line[b] + place * line_rise[b];
    if (b < feature.rises) job.direction[feature.weight + b] = behind + place * share;
    behind += counts[b];
  }
}

using EightSlots = LanesOf<kLeastSlots>::Doubles;

/// moved[k] = x[k + by].
template <int by>
[[gnu::always_inline]] inline void move_down(const EightSlots& x, EightSlots& moved) {
  const EightSlots none = {};
#if defined(__clang__)
  moved = __builtin_shufflevector(x, none, by, by + 1, by + 2, by + 3, by + 4, by + 5, by + 6, by + 7);
#else
  moved = __builtin_shuffle(x, none, CodeLanes<8>::Longs{by, by + 1, by + 2, by + 3, by + 4, by + 5, by + 6, by + 7});
#endif
}

/// x[k] += x[k + by].
template <int by>
[[gnu::always_inline]] inline void add_later(EightSlots& x) {
  EightSlots moved;
  move_down<by>(x, moved);
  x += moved;
}

/// The same of eight slots at once, added in another order.
[[gnu::always_inline]] inline void fold_eight(const FoldJob& job, const CurveSlots& feature, double& own) {
  const EightSlots slot = {0, 1, 2, 3, 4, 5, 6, 7};
  EightSlots count, place, line, line_rise;
  load_vector(job.sums + 2 * std::size_t{feature.first}, count);
  load_vector(job.sums + 2 * std::size_t{feature.first} + kLeastSlots, place);
  load_vector(job.line + feature.first, line);
  load_vector(job.line_rise + feature.first, line_rise);
  place -= count * (slot * static_cast<double>(1U << feature.shift));
  line = count * line + place * line_rise;
  add_later<4>(line);
  add_later<2>(line);
  add_later<1>(line);
  own = line[0];
  if (feature.rises == 0) return;
  EightSlots behind;
  move_down<1>(count, behind);
  add_later<1>(behind);
  add_later<2>(behind);
  add_later<4>(behind);
  if (job.lines) behind += place * (1 / places_of(feature.shift));
  store_vector(behind, job.direction + feature.weight);
}

// Feature after feature: what one leaves undefined, the next ones define.
[[gnu::always_inline]] inline void fold_all(const FoldJob& job) {
  for (std::size_t j = 0; j < job.features.size(); ++j) {
    if (job.features[j].count == kLeastSlots)
      fold_eight(job, job.features[j], job.direction[j]);
    else
      fold_feature(job, job.features[j], job.direction[j]);
  }
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

void add_codes(std::span<const CurveSlots> features, const std::uint16_t* codes, std::span<const double> coefficients,
               double* sums, SimdLevel level_of_cpu) {
  const SumJob job{features, codes, coefficients, sums};
  (level_of_cpu == SimdLevel::avx512 ? compiled_for<add_all<8>>(level_of_cpu)
   : level_of_cpu == SimdLevel::avx2 ? compiled_for<add_all<4>>(level_of_cpu)
                                     : compiled_for<add_all<2>>(level_of_cpu))(job);
}

void fold_codes(std::span<const CurveSlots> features, const double* sums, const double* line, const double* line_rise,
                bool lines, double* direction, SimdLevel level_of_cpu) {
  compiled_for<fold_all>(level_of_cpu)({features, sums, line, line_rise, lines, direction});
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Is one ranker better than another? Paired tests over queries.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "evaluation/bootstrap.h"
#include "evaluation/distributions.h"

namespace dorm {
namespace {

constexpr std::size_t kExactFlips = 16;      // up to here all 2^n sign patterns are tried
constexpr std::size_t kRandomFlips = 10000;  // beyond, this many random ones
constexpr std::size_t kFlipsAtOnce = 1000;   // by one thread
constexpr std::uint64_t kFlipStream = 0x666C6970u;

/// Differences of the queries that both have a value for, and the weights of these.
struct Differences {
  std::vector<double> values, weights;
};

Differences differences_of(std::span<const double> a, std::span<const double> b, std::span<const double> weights) {
  if (a.size() != b.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("cannot compare {} queries with {}; expected the same queries", a.size(), b.size()));
  if (!weights.empty() && weights.size() != a.size())
    throw Error(ErrorCode::bad_input, fmt::format("{} weights for {} queries", weights.size(), a.size()));
  Differences result;
  for (std::size_t q = 0; q < a.size(); ++q) {
    if (std::isnan(a[q]) || std::isnan(b[q])) continue;
    result.values.push_back(a[q] - b[q]);
    result.weights.push_back(weights.empty() ? 1.0 : weights[q]);
  }
  return result;
}

// With weights the mean is a ratio of sums, and what a query adds to it is weight (difference - mean) / mean weight.
void student_test(const Differences& differences, PairedTest& test) {
  const std::size_t size = differences.values.size();
  if (size < 2) return;
  const double n = real(size);
  double squares = 0, total = 0;
  for (std::size_t q = 0; q < size; ++q) {
    const double moved = differences.weights[q] * (differences.values[q] - test.mean_difference);
    squares += moved * moved;
    total += differences.weights[q];
  }
  const double error = std::sqrt(squares / (n - 1) / n) / (total / n);
  if (test.mean_difference == 0) return;
  test.t_statistic = test.mean_difference / error;  // infinite when all differences are equal
  test.p_t = student_two_sided(test.t_statistic, n - 1);
}

double sign_test(std::size_t wins, std::size_t losses) {
  if (wins + losses == 0) return 1;
  return std::min(1.0, 2 * fair_coin_at_most(std::min(wins, losses), wins + losses));
}

// Sums of the differences with random signs, one per entry of `sums`. Eight differences at a time: a table holds their
// 256 signed sums, and a random byte per entry picks one.
void add_random_signs(std::span<const double> differences, std::uint64_t seed, std::span<double> sums) {
  Rng rng(seed);
  std::array<double, 256> table;
  for (std::size_t first = 0; first < differences.size(); first += 8) {
    const std::span<const double> eight =
        differences.subspan(first, std::min<std::size_t>(8, differences.size() - first));
    table[0] = -std::accumulate(eight.begin(), eight.end(), 0.0);
    for (unsigned pattern = 1; pattern < table.size(); ++pattern) {
      const auto lowest = static_cast<std::size_t>(std::countr_zero(pattern));
      table[pattern] = table[pattern & (pattern - 1)] + (lowest < eight.size() ? 2 * eight[lowest] : 0.0);
    }
    for (std::size_t s = 0; s < sums.size(); s += 8) {
      std::uint64_t bits = rng.next();
      for (std::size_t k = s; k < std::min(sums.size(), s + 8); ++k, bits >>= 8) sums[k] += table[bits & 255];
    }
  }
}

// All 2^n sums.
std::vector<double> all_signs(std::span<const double> differences) {
  std::vector<double> sums = {0.0};
  for (double d : differences) {
    const std::size_t size = sums.size();
    sums.resize(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
      sums[size + i] = sums[i] - d;
      sums[i] += d;
    }
  }
  return sums;
}

// Share of sign patterns whose sum is at least as far from 0 as the one seen. The slack lets patterns that are equal
// but for rounding count.
double permutation_test(std::span<const double> differences, const EvaluateOptions& options) {
  double seen = 0, scale = 0;
  for (double d : differences) {
    seen += d;
    scale += std::abs(d);
  }
  const double threshold = std::abs(seen) - 1e-12 * scale;
  const auto extreme = [threshold](double sum) { return std::abs(sum) >= threshold; };
  if (differences.size() <= kExactFlips) {
    const std::vector<double> sums = all_signs(differences);
    return real(std::count_if(sums.begin(), sums.end(), extreme)) / real(sums.size());
  }
  std::vector<double> sums(kRandomFlips, 0.0);
  parallel_for(kRandomFlips / kFlipsAtOnce, options.threads, [&](std::size_t part, std::size_t) {
    add_random_signs(differences, stream_seed(options.seed ^ kFlipStream, part),
                     std::span(sums).subspan(part * kFlipsAtOnce, kFlipsAtOnce));
  });
  const auto count = std::count_if(sums.begin(), sums.end(), extreme);
  return (real(count) + 1) / (real(kRandomFlips) + 1);
}

}  // namespace

PairedTest compare(std::span<const double> a, std::span<const double> b, const EvaluateOptions& options,
                   std::span<const double> weights) {
  Differences all = differences_of(a, b, weights);
  PairedTest test;
  test.queries = all.values.size();
  test.mean_difference = weighted_mean(all.values, all.weights);
  const std::span<const double> column(all.values);
  const Interval interval = bootstrap(std::span(&column, 1), all.weights, options)[0];
  test.low = interval.low;
  test.high = interval.high;
  student_test(all, test);

  std::vector<double> differences;  // weighted, of those that differ
  for (std::size_t q = 0; q < all.values.size(); ++q) {
    if (all.values[q] == 0) continue;
    ++(all.values[q] > 0 ? test.wins : test.losses);
    differences.push_back(all.weights[q] * all.values[q]);
  }
  test.ties = test.queries - differences.size();
  test.p_sign = sign_test(test.wins, test.losses);
  test.p_permutation = permutation_test(differences, options);
  return test;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Randomised Tukey HSD: how far apart the best and the worst mean are when rankers are shuffled within each query.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "dorm/evaluation/difference.h"
#include "evaluation/bootstrap.h"

namespace dorm {
namespace {

constexpr std::size_t kShuffles = 10000;
constexpr std::size_t kShufflesAtOnce = 500;  // by one thread
constexpr std::uint64_t kShuffleStream = 0x74756B65u;

/// Weighted values, query by query, of those that every column has a value for.
struct CompleteQueries {
  std::vector<double> weighted;
  double weight = 0;
  std::size_t columns = 0;
};

CompleteQueries complete_queries(const std::vector<std::span<const double>>& columns, std::span<const double> weights) {
  CompleteQueries result{{}, 0, columns.size()};
  for (std::size_t q = 0; q < columns.front().size(); ++q) {
    if (std::any_of(columns.begin(), columns.end(), [q](const auto& column) { return std::isnan(column[q]); }))
      continue;
    const double weight = weights.empty() ? 1.0 : weights[q];
    for (const auto& column : columns) result.weighted.push_back(weight * column[q]);
    result.weight += weight;
  }
  return result;
}

// The widest distance of two sums after one shuffle of each query.
double shuffled_range(const CompleteQueries& queries, Rng& rng, std::vector<double>& row, std::vector<double>& sums) {
  const std::size_t columns = queries.columns;
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t first = 0; first < queries.weighted.size(); first += columns) {
    std::copy_n(queries.weighted.begin() + static_cast<std::ptrdiff_t>(first), columns, row.begin());
    for (std::size_t k = columns; k > 1; --k)
      std::swap(row[k - 1], row[static_cast<std::size_t>(((rng.next() >> 32) * k) >> 32)]);
    for (std::size_t k = 0; k < columns; ++k) sums[k] += row[k];
  }
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  return *most - *least;
}

}  // namespace

std::vector<double> tukey_test(const std::vector<std::span<const double>>& columns, std::span<const double> weights,
                               std::uint64_t seed, std::size_t threads) {
  const std::size_t count = columns.size();
  std::vector<double> p(count * count, kNaN);
  const CompleteQueries queries = complete_queries(columns, weights);
  std::vector<double> sums(count, 0.0), ranges(kShuffles, 0.0);
  for (std::size_t k = 0; k < queries.weighted.size(); ++k) sums[k % count] += queries.weighted[k];
  double scale = 0;
  for (const double value : queries.weighted) scale += std::abs(value);
  parallel_for(kShuffles / kShufflesAtOnce, threads, [&](std::size_t part, std::size_t) {
    Rng rng(stream_seed(seed ^ kShuffleStream, part));
    std::vector<double> row(count), shuffled(count);
    for (std::size_t s = part * kShufflesAtOnce; s < (part + 1) * kShufflesAtOnce; ++s)
      ranges[s] = shuffled_range(queries, rng, row, shuffled);
  });
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double threshold = std::abs(sums[i] - sums[j]) - 1e-12 * scale;
      const auto above = ranges.end() - std::lower_bound(ranges.begin(), ranges.end(), threshold);
      p[i * count + j] = p[j * count + i] = (real(above) + 1) / (real(kShuffles) + 1);
    }
  return p;
}

}  // namespace dorm

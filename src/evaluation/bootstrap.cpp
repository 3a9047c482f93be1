// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// A column ready for resampling: weight and weight * value, both 0 where the query does not count.
struct Terms {
  std::vector<double> weight, weighted;
};

Terms terms_of(std::span<const double> values, std::span<const double> weights) {
  Terms terms{std::vector<double>(values.size(), 0.0), std::vector<double>(values.size(), 0.0)};
  for (std::size_t q = 0; q < values.size(); ++q) {
    if (std::isnan(values[q])) continue;
    terms.weight[q] = weights[q];
    terms.weighted[q] = weights[q] * values[q];
  }
  return terms;
}

// Four running sums, so that the additions need not wait for each other.
double dot(std::span<const double> x, std::span<const double> y) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= x.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += x[i + k] * y[i + k];
  for (; i < x.size(); ++i) sum[0] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Linear between order statistics; `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * real(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - real(below)) * (sorted[above] - sorted[below]);
}

Interval percentile_interval(std::vector<double> means, double confidence) {
  means.erase(std::remove_if(means.begin(), means.end(), [](double m) { return std::isnan(m); }), means.end());
  if (means.empty()) return {kNaN, kNaN};
  std::sort(means.begin(), means.end());
  const double tail = (1 - confidence) / 2;
  return {quantile(means, tail), quantile(means, 1 - tail)};
}

}  // namespace

// Two draws from each 64-bit number; the multiply-shift favours no query by more than one part in 2^32 / queries.
void draw_resample(std::uint64_t seed, std::span<double> times) {
  std::fill(times.begin(), times.end(), 0.0);
  const std::uint64_t count = times.size();
  Rng rng(seed);
  for (std::uint64_t drawn = 0; drawn < count; drawn += 2) {
    const std::uint64_t bits = rng.next();
    times[((bits >> 32) * count) >> 32] += 1;
    if (drawn + 1 < count) times[((bits & 0xFFFFFFFFu) * count) >> 32] += 1;
  }
}

std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t index) {
  return Rng(Rng(seed).next() ^ (index * 0xD1342543DE82EF95u)).next();
}

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  CompensatedSum sum, total;
  for (std::size_t q = 0; q < values.size(); ++q) {
    if (std::isnan(values[q])) continue;
    sum.add(weights[q] * values[q]);
    total.add(weights[q]);
  }
  return total.value() > 0 ? sum.value() / total.value() : kNaN;
}

std::vector<Interval> bootstrap(std::span<const std::span<const double>> columns, std::span<const double> weights,
                                const EvaluateOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1))
    throw Error(ErrorCode::bad_option,
                fmt::format("confidence {}; expected a number between 0 and 1", options.confidence));
  std::vector<Interval> intervals(columns.size(), Interval{kNaN, kNaN});
  if (options.bootstrap == 0 || weights.empty()) return intervals;

  std::vector<Terms> terms;
  for (std::span<const double> column : columns) terms.push_back(terms_of(column, weights));
  std::vector<std::vector<double>> means(columns.size(), std::vector<double>(options.bootstrap));
  const std::uint64_t additions = std::uint64_t{options.bootstrap} * weights.size() * (1 + columns.size());
  std::vector<std::vector<double>> times(threads_worth(options.threads, additions));
  parallel_for(options.bootstrap, times.size(), [&](std::size_t sample, std::size_t worker) {
    times[worker].resize(weights.size());
    draw_resample(stream_seed(options.seed, sample), times[worker]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double total = dot(times[worker], terms[c].weight);
      means[c][sample] = total > 0 ? dot(times[worker], terms[c].weighted) / total : kNaN;
    }
  });
  for (std::size_t c = 0; c < columns.size(); ++c)
    intervals[c] = percentile_interval(std::move(means[c]), options.confidence);
  return intervals;
}

}  // namespace dorm

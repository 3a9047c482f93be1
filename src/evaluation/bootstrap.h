// SPDX-License-Identifier: Apache-2.0
// Percentile bootstrap intervals of weighted means over queries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dorm/evaluate.h"

namespace dorm {

struct Interval {
  double low, high;
};

/// One interval per column; every column has one value per query, NaN where the query does not count. All columns see
/// the same resamples. NaN intervals when there is nothing to resample or options.bootstrap is 0. Throws
/// Error(bad_option) for a confidence outside (0, 1).
std::vector<Interval> bootstrap(std::span<const std::span<const double>> columns, std::span<const double> weights,
                                const EvaluateOptions& options);

/// How often each query is drawn in one resample of as many draws as queries.
void draw_resample(std::uint64_t seed, std::span<double> times);

/// Sum of weight * value over sum of weight, NaN values left out; NaN when no weight remains.
double weighted_mean(std::span<const double> values, std::span<const double> weights);

/// The seed of stream `index`: unrelated to the other streams, and independent of the number of threads.
std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t index);

}  // namespace dorm

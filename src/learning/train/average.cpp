// SPDX-License-Identifier: Apache-2.0
#include "learning/train/average.h"

#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "model/features/scatter.h"

namespace dorm {
namespace {

constexpr double kErrorsPerFold = 0.5;  // standard errors behind the best by which a share falls e-fold
constexpr double kLeastShare = 0.05;    // of the largest

/// The share in units of that of the best.
double of_the_best(std::span<const double> per_query, std::span<const double> best) {
  const Moments behind = paired(best, per_query);
  if (behind.mean <= 0) return 1;
  return behind.standard_error > 0 ? std::exp(-behind.mean / (kErrorsPerFold * behind.standard_error)) : 0;
}

}  // namespace

Moments moments_of(std::span<const double> values) {
  double count = 0, squares = 0;
  CompensatedSum sum;
  for (double value : values) {
    if (std::isnan(value)) continue;
    ++count;
    sum.add(value);
    squares += value * value;
  }
  const double mean = sum.value() / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean) / std::max(1.0, count - 1))};
}

Moments paired(std::span<const double> a, std::span<const double> b) {
  std::vector<double> difference(a.size());
  for (std::size_t q = 0; q < difference.size(); ++q) difference[q] = a[q] - b[q];
  return moments_of(difference);
}

bool behind(std::span<const double> values, std::span<const double> best) {
  const Moments moments = paired(best, values);
  return moments.mean > moments.standard_error;
}

bool far_behind(std::span<const double> per_query, std::span<const double> best) {
  return of_the_best(per_query, best) < kLeastShare;
}

double spread(const TrainingSet& set, std::span<const double> w) {
  const Dataset& data = set.features().data();
  double scatter = 0;
  if (RowDevice* const rows = set.device_rows()) {
    std::vector<double> scores(data.num_documents());
    require_no_trouble(rows->scores(w, scores));
    scatter = score_scatter(data, scores);
  } else {
    scatter = score_scatter(set.features(), w);
  }
  return std::sqrt(scatter / static_cast<double>(std::max<std::size_t>(1, data.num_documents())));
}

std::vector<double> shares_by_validation(std::span<const std::span<const double>> per_query) {
  std::vector<double> means;
  for (const std::span<const double> values : per_query) means.push_back(moments_of(values).mean);
  const auto best = static_cast<std::size_t>(std::max_element(means.begin(), means.end()) - means.begin());
  std::vector<double> shares;
  double total = 0;
  for (const std::span<const double> values : per_query) {
    const double share = of_the_best(values, per_query[best]);
    shares.push_back(share < kLeastShare ? 0.0 : share);
    total += shares.back();
  }
  for (double& share : shares) share /= total;
  return shares;
}

void AverageOfWeights::add(std::span<const double> w, double spread, double share) {
  sum_.resize(std::max(sum_.size(), w.size()), 0.0);
  for (std::size_t j = 0; j < w.size(); ++j) sum_[j] += share / spread * w[j];
}

}  // namespace dorm

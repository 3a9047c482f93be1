// SPDX-License-Identifier: Apache-2.0
// Averages of rankers. Rankers that differ by noise on the validation queries differ in what they got wrong, so their
// average is better than any of them (docs/training.md has the figures). Scores are brought to unit spread before they
// are added; under one scaling the average of linear rankers is a linear ranker.
#pragma once

#include <span>
#include <vector>

#include "dorm/train.h"
#include "learning/train/training_set.h"

namespace dorm {

struct Moments {
  double mean = 0, standard_error = 0;  // of the mean
};

/// Over the values that are not NaN.
Moments moments_of(std::span<const double> values);

/// Of the differences a - b, query by query.
Moments paired(std::span<const double> a, std::span<const double> b);

/// Whether the mean of `values` is behind that of `best` by more than one standard error of their paired difference.
bool behind(std::span<const double> values, std::span<const double> best);

/// The root of the mean squared score over all documents, scores centred within their query. 0: it ranks nothing.
double spread(const TrainingSet& set, std::span<const double> w);

/// The shares of several validated rankers, summing to 1: exp(-2 t), where t is how far its mean is behind the
/// best, in standard errors of their paired difference over queries. With few queries the errors are large and all
/// count alike; with many the best remain. Shares below a twentieth of the largest are dropped. `per_query` may hold
/// NaN, at the same queries for all.
std::vector<double> shares_by_validation(std::span<const std::span<const double>> per_query);

/// Whether a ranker is so far behind the best that it would have no share.
bool far_behind(std::span<const double> per_query, std::span<const double> best);

/// A sum of weights, each divided by its spread and multiplied by its share. Shorter ones have 0 at their end.
class AverageOfWeights {
 public:
  void add(std::span<const double> w, double spread, double share);
  const std::vector<double>& weights() const { return sum_; }

 private:
  std::vector<double> sum_;
};

}  // namespace dorm

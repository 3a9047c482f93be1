// SPDX-License-Identifier: Apache-2.0
// Which few features are worth computing: backward elimination from all of them. Guide: docs/training.md.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dorm/tune.h"

namespace dorm {

struct FewFeatures {
  double budget = 0;               // how many features there may be, or what they may cost together
  std::vector<double> costs = {};  // of a feature, by column, above 0; empty: 1 each
  std::size_t folds = 5;           // without validation data

  void validate(const Dataset& data) const;  // throws Error(bad_option)
};

/// By column: features that are not named cost 1. Throws Error(unknown_name) for a name that is no feature.
std::vector<double> costs_of(const std::map<std::string, double>& costs, const Dataset& data);

/// Rankers of one number of features.
struct FeatureStep {
  std::vector<std::string> features;  // of the ranker of all training data, in the order of the columns
  double cost = 0;                    // of these
  ValidatedFigure validated;          // by queries that neither the weights nor the choice of features have seen
  bool delivered = false;             // the largest step within the budget
};

struct FeaturePath {
  std::vector<FeatureStep> steps;  // from all features to one
  const FeatureStep& delivered() const;
};

/// Trains on all features and drops those whose contributions to the scores differ least within queries, per cost; a
/// fifth of them at a time while they are many, then one by one. Every fold drops its own, so that the validated
/// figures are of choices that the queries had no part in. Trainings have the bound of the options, or `best`, in one
/// round. Throws Error(bad_option) for a budget that no feature is within, and Error(unsupported) for kernels and given
/// ties. The observer is told the share that is done; false: stop, by Error(unsupported).
FeaturePath few_features(const Dataset& data, const FewFeatures& few, const TrainOptions& options,
                         const Dataset* validation = nullptr, const std::function<bool(double)>& observer = {});

/// The same documents with these of their features alone.
Dataset with_features(const Dataset& data, std::span<const std::string> features, std::size_t threads = 0);
/// Signs and curves of these features alone.
TrainOptions with_features(TrainOptions options, std::span<const std::string> features);

}  // namespace dorm

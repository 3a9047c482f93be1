// SPDX-License-Identifier: Apache-2.0
// Any data set of a model's features, brought into the model's columns and scaling.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dorm/model.h"

namespace dorm {

/// Throws Error(bad_input) when the data lacks a feature that the model uses, unless it is numbered in both: sparse
/// text omits zeros, a table does not omit columns.
void require_features(const Model& model, const Dataset& data);

/// Whether scores can depend on a feature.
bool uses(const Model& model, std::size_t feature);

/// The model's scaling in the columns of `data`; columns the model does not know become 0.
Scaling scaling_of_columns(const Model& model, const Dataset& data);

/// For each column of the data, the model's feature of that name.
class FeatureIndex {
 public:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  explicit FeatureIndex(const Model& model);
  std::size_t find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::size_t> index_;
};

/// For each column of the data, the model's feature, or FeatureIndex::kUnknown: by name; by number where the features
/// of trees have no names of their own.
std::vector<std::size_t> features_of_columns(const Model& model, const Dataset& data);
/// The other way round: for each feature of the model, its column, or kUnknown.
std::vector<std::size_t> columns_of_features(const Model& model, const Dataset& data);

/// What a feature that never occurs in the data is after scaling: by model feature, 0 without fitted scaling.
std::vector<double> values_of_absent_features(const Model& model);

/// Scaled features in the order of the model's. Shares memory when nothing has to change.
Dataset align_features(const Model& model, const Dataset& data, std::size_t threads);

/// The scaled values of a query in the columns of the data, row by row.
std::vector<double> scaled_columns(const Scaling& scaling, const Query& query);

/// The same in 64 bits, row by row: a score of a linear model is the sum of weight times these.
std::vector<double> scaled_features(const Model& model, const Dataset& data, std::size_t threads);

}  // namespace dorm

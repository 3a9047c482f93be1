// SPDX-License-Identifier: Apache-2.0
// The data beside what a model was trained on: ranges of features, documents outside of them, queries that say little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dorm/model.h"

namespace dorm::explore {

struct FeatureProfile {
  bool present = false;  // the data have such a column; else all values are 0
  double low = 0, high = 0, mean = 0;
  double spread = 0;          // standard deviation after the model's scaling, about
  std::uint64_t outside = 0;  // documents outside the range of training, where that is known
};

struct QueryProfile {
  std::uint32_t relevant = 0;    // documents with a label above 0
  std::uint32_t duplicates = 0;  // documents that equal an earlier one
  bool one_label = false;
};

struct DataProfile {
  /// In two passes over the data.
  DataProfile(const Model& model, const Dataset& data, std::size_t threads);

  std::vector<FeatureProfile> features;  // by feature of the model
  std::vector<QueryProfile> queries;
  std::vector<float> labels;       // that occur, ascending
  std::vector<std::string> leaks;  // features that give the label away
};

}  // namespace dorm::explore

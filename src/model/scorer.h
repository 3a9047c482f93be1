// SPDX-License-Identifier: Apache-2.0
// A data set made ready to be scored by models that share features and scaling: matched and scaled once, then
// one product per set of weights.
#pragma once

#include <cstddef>
#include <vector>

#include "dorm/model.h"
#include "risk/linear_features.h"

namespace dorm {

/// Throws Error(bad_input) when the data lacks a feature with a weight, unless it is numbered in both: sparse
/// text omits zeros, a table does not omit columns.
void require_features(const Model& model, const Dataset& data);

class Scorer {
 public:
  /// Takes features and scaling from `model`, not its weights.
  Scorer(const Model& model, const Dataset& data, std::size_t threads = 0);

  const Dataset& data() const { return features_.data(); }

  /// Scores in document order of the data, for weights of the model's features.
  std::vector<double> scores(const std::vector<double>& weights, std::size_t threads) const;

 private:
  LinearFeatures features_;
  std::vector<std::size_t> weight_of_;  // by column in use: the model's feature, or none
  std::vector<double>
      constant_;  // by model feature: what one that never occurs contributes per unit of weight
};

}  // namespace dorm

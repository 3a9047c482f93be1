// SPDX-License-Identifier: Apache-2.0
// Data sets under models with curves.
#pragma once

#include <vector>

#include "dorm/model.h"
#include "model/features/curve_features.h"
#include "model/scorer.h"

namespace dorm {

/// What each feature adds to each score, row by row.
std::vector<double> curve_parts(const Model& model, const Dataset& data, std::size_t threads);

/// Scores in document order: sums of those in the order of the columns of the data. Throws Error(unsupported) on a
/// device.
std::vector<double> curve_scores(const Model& model, const Dataset& data, const ComputeOptions& place);

/// Weights of a basis of curves.
class CurveScorer final : public Scorer {
 public:
  /// Takes features and scaling from `model`.
  CurveScorer(Model model, CurveBasis basis, const Dataset& data)
      : model_(std::move(model)), basis_(std::move(basis)), data_(data) {}

  const Dataset& data() const override { return data_; }
  std::vector<double> scores(const std::vector<double>& weights, std::size_t threads) const override;

 private:
  Model model_;
  CurveBasis basis_;
  Dataset data_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Data sets under models of trees, and under sums of which trees may be a part.
#pragma once

#include <vector>

#include "dorm/model.h"
#include "model/trees/tree_scorer.h"

namespace dorm {

/// Scores in document order. Throws Error(unsupported) on a device.
std::vector<double> tree_scores(const Model& model, const Dataset& data, const ComputeOptions& place);

/// Throws Error(bad_input) where missing values were kept and the model is not of trees.
void require_values(const Model& model, const Dataset& data);

/// Missing values that were kept, as a part of a sum was trained on them: the means of its training data, 0, or as they
/// are.
Dataset filled_as(const Model& part, const Dataset& data, std::size_t threads);

/// The features of the model, row by row, as they are in the data.
std::vector<float> raw_features(const Model& model, const Dataset& data);

}  // namespace dorm

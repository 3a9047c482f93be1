// SPDX-License-Identifier: Apache-2.0
// The weights of an earlier model in the coordinates of a new one, to begin the rounds there.
#pragma once

#include <vector>

#include "dorm/model.h"

namespace dorm {

/// Features are matched by name; those the model lacks begin at 0. Under a fitted scaling weights are converted, so
/// that the differences between scores stay what they were. Throws Error(bad_option) when the kinds of scaling differ.
/// `now` says features and scaling of the training.
std::vector<double> initial_weights(const Model& model, const Model& now);

}  // namespace dorm

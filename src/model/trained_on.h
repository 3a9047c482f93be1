// SPDX-License-Identifier: Apache-2.0
// Whether a model knows the answers: what its fingerprints say of some data.
#pragma once

#include "dorm/model.h"

namespace dorm {

/// The share of the queries of `data` that the model, or a part of it, was trained on: 1 for its training data, less
/// where a test part of the data was set aside, else 0.
double share_trained_on(const Model& model, const Dataset& data, std::size_t threads = 0);

}  // namespace dorm

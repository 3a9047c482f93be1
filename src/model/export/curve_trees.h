// SPDX-License-Identifier: Apache-2.0
// Curves of steps as trees of one feature each.
#pragma once

#include "dorm/model.h"

namespace dorm {

/// The model of trees with the same scores, of unscaled features. Throws Error(unsupported) for curves of lines, a
/// feature that has a line, and a scaling within queries.
Model trees_of_curves(const Model& model, std::string_view target);

}  // namespace dorm

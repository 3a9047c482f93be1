// SPDX-License-Identifier: Apache-2.0
// Models that are changed by hand: weights of features, weights of the parts of a sum, points of curves.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "serve/explore/parameters.h"

namespace dorm::explore {

/// What of a model can be moved: "weights", "curves" or "parts"; nullptr: nothing.
const char* what_can_be_edited(const Model& model);
inline bool can_be_edited(const Model& model) { return what_can_be_edited(model) != nullptr; }

/// Curves of lines: a knot. Of steps: a level, which begins there; the first one begins nowhere.
struct CurvePoint {
  std::optional<double> x = {};  // scaled
  double y = 0;                  // what it adds to a score
};
/// None of a feature that has a line alone.
std::vector<CurvePoint> points_of(const Model& model, std::size_t feature);

/// A moved point bends the curve between its neighbours; the first and the last also move what lies beyond them. The
/// curve is 0 at the median again, by a shift that all documents have, those with a missing value too.
Model edited_model(Model model, std::span<const Edit> edits);

/// The value that the scaling makes x of. None under a scaling within queries, and of a constant feature.
std::optional<double> unscaled(const Scaling& scaling, std::size_t feature, double x);

}  // namespace dorm::explore

// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/edited_model.h"

#include <cmath>
#include <map>

#include "data/scale/scale_rules.h"

namespace dorm::explore {
namespace {

/// By how much each of its points is moved.
void move_points(Model& model, std::size_t feature, std::span<const double> moves) {
  Curves& curves = *model.curves;
  Curve& curve = curves.features[feature];
  const double before = curves.raw_at_median(feature);
  for (std::size_t k = 0; k < curve.rises.size(); ++k) curve.rises[k] += moves[k + 1] - moves[k];
  const double shift = moves[0] + curves.raw_at_median(feature) - before;
  if (curve.missing || model.data.input.has_rule(Missing::keep)) curve.missing = curve.missing.value_or(0) - shift;
}

}  // namespace

const char* what_can_be_edited(const Model& model) {
  if (model.features.empty()) return nullptr;
  switch (model.kind()) {
    case Model::Kind::linear:
      return "weights";
    case Model::Kind::curves:
      return "curves";
    case Model::Kind::sum:
      return "parts";
    default:
      return nullptr;
  }
}

std::vector<CurvePoint> points_of(const Model& model, std::size_t feature) {
  const Curves& curves = *model.curves;
  const Curve& curve = curves.features[feature];
  std::vector<CurvePoint> points;
  if (curve.knots.empty()) return points;
  if (curves.shape == CurveShape::lines) {
    for (const double knot : curve.knots) points.push_back({knot, curves.value(feature, model.weights[feature], knot)});
    return points;
  }
  double level = -curves.raw_at_median(feature);
  points.push_back({std::nullopt, level});
  for (std::size_t k = 0; k < curve.knots.size(); ++k) points.push_back({curve.knots[k], level += curve.rises[k]});
  return points;
}

Model edited_model(Model model, std::span<const Edit> edits) {
  std::map<std::size_t, std::vector<double>> moves;  // by feature with a curve
  for (const Edit& edit : edits) {
    if (model.kind() == Model::Kind::sum) {
      model.parts[edit.feature].weight = edit.weight;
    } else if (edit.point == Edit::kWeight) {
      model.weights[edit.feature] = edit.weight;
    } else {
      const std::vector<CurvePoint> points = points_of(model, edit.feature);
      std::vector<double>& own = moves[edit.feature];
      own.resize(points.size());
      own[edit.point] = edit.weight - points[edit.point].y;
    }
  }
  for (const auto& [feature, own] : moves) move_points(model, feature, own);
  return model;
}

std::optional<double> unscaled(const Scaling& scaling, std::size_t feature, double x) {
  if (scaling.per_query()) return std::nullopt;
  if (!scaling.factor.empty() && scaling.factor[feature] == 0) return std::nullopt;
  return unscaled_value(scaling, feature, x);
}

}  // namespace dorm::explore

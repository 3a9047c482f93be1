// SPDX-License-Identifier: Apache-2.0
#include "model/curves_json.h"

#include <algorithm>
#include <cmath>

namespace dorm {
namespace {

bool finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

Curve curve_from(const JsonFields& fields, CurveShape shape) {
  Curve curve;
  curve.knots = fields.required<std::vector<double>>("knots", "a list of finite numbers");
  curve.rises = fields.required<std::vector<double>>("rises", "a list of finite numbers");
  curve.median = fields.required<double>("median", "a number");
  if (fields.has("missing")) curve.missing = fields.required<double>("missing", "a number");
  if (curve.knots.empty() && curve.rises.empty() && curve.missing) return curve;
  if (curve.knots.empty() || !finite(curve.knots) ||
      std::adjacent_find(curve.knots.begin(), curve.knots.end(), std::greater_equal<>()) != curve.knots.end())
    fields.fail("knots", "increasing finite numbers");
  if (!finite(curve.rises) || curve.rises.size() + (shape == CurveShape::lines ? 1 : 0) != curve.knots.size())
    fields.fail("rises", shape == CurveShape::lines ? "one finite number less than there are knots"
                                                    : "as many finite numbers as there are knots");
  return curve;
}

}  // namespace

Json curves_json(const Curves& curves, const std::vector<std::string>& features) {
  Json list = Json::array();
  for (std::size_t j = 0; j < curves.features.size(); ++j) {
    const Curve& curve = curves.features[j];
    if (curve.knots.empty() && !curve.missing) continue;
    list.push_back(
        {{"feature", features[j]}, {"median", curve.median}, {"knots", curve.knots}, {"rises", curve.rises}});
    if (curve.missing) list.back()["missing"] = *curve.missing;
  }
  return {{"shape", name_of(curves.shape)}, {"features", std::move(list)}};
}

Curves curves_from(const JsonFields& fields, const std::vector<std::string>& features) {
  Curves curves;
  const auto shape = fields.required<std::string>("shape", "lines or steps");
  if (shape != "lines" && shape != "steps") fields.fail("shape", "lines or steps");
  curves.shape = shape == "lines" ? CurveShape::lines : CurveShape::steps;
  curves.features.resize(features.size());
  for (const JsonFields& each : fields.objects("features", "a list of curves")) {
    const auto found = std::find(features.begin(), features.end(), each.required<std::string>("feature", "a name"));
    if (found == features.end()) each.fail("feature", "a feature of the model");
    curves.features[static_cast<std::size_t>(found - features.begin())] = curve_from(each, curves.shape);
  }
  return curves;
}

}  // namespace dorm

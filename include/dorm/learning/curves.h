// SPDX-License-Identifier: Apache-2.0
// Curves: functions of one feature each, which add up to a score. Guide: docs/curves.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dorm {

enum class CurveShape { lines, steps };
std::string_view name_of(CurveShape shape);  // lines, steps

/// What is added to weight * x for a scaled value x, less that sum at the median. Lines: rises[k] from knots[k] to
/// knots[k + 1], level outside. Steps: rises[k] from knots[k] on. No knots: nothing is added.
struct Curve {
  std::vector<double> knots;  // increasing
  std::vector<double> rises;
  double median = 0;
  std::optional<double> missing = {};  // what a missing value adds; none: nothing, as the median does
};

struct Curves {
  CurveShape shape = CurveShape::lines;
  std::vector<Curve> features;  // by feature of the model

  /// What feature j adds to a score at the scaled value x, NaN where it is missing; 0 at its median.
  double value(std::size_t j, double weight, double x) const;
  /// What value() takes off besides weight * median.
  double raw_at_median(std::size_t j) const { return raw(features[j], features[j].median); }

 private:
  double raw(const Curve& curve, double x) const;
};

/// What an option asks for: "none", "8", "price=16,bm25=8", "steps:8" or "steps:price=16".
struct CurveRequest {
  CurveShape shape = CurveShape::lines;
  std::vector<std::size_t> pieces;  // by feature; 0: a line
};
inline constexpr std::size_t kMostPieces = 60;

/// Throws Error(bad_option) for a text of another form. Without features, the form alone is checked.
CurveRequest parse_curves(std::string_view text, std::span<const std::string> features);
bool wants_curves(std::string_view text);  // neither empty nor none

}  // namespace dorm

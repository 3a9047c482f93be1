// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dorm/base/catalog.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kStepsPrefix = "steps:";

[[noreturn]] void refuse_curves(std::string_view text, std::string_view why) {
  throw Error(ErrorCode::bad_option,
              fmt::format("curves \"{}\": {}; expected none, a number of pieces such as 8, or FEATURE=8,FEATURE=16; "
                          "before either steps: for steps",
                          text, why));
}

std::size_t parse_pieces(std::string_view text, std::string_view number) {
  std::size_t pieces = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), pieces);
  if (error != std::errc() || end != number.data() + number.size() || pieces < 2 || pieces > kMostPieces)
    refuse_curves(text, fmt::format("\"{}\" is no number of pieces from 2 to {}", number, kMostPieces));
  return pieces;
}

std::size_t index_of(std::string_view name, std::span<const std::string> features) {
  const auto found = std::find(features.begin(), features.end(), name);
  if (found != features.end()) return static_cast<std::size_t>(found - features.begin());
  std::vector<CatalogEntry> known;
  for (const std::string& feature : features) known.push_back({feature, feature, ""});
  throw_unknown_name("feature", name, known);
}

}  // namespace

std::string_view name_of(CurveShape shape) { return shape == CurveShape::lines ? "lines" : "steps"; }

bool wants_curves(std::string_view text) { return !text.empty() && text != "none"; }

CurveRequest parse_curves(std::string_view text, std::span<const std::string> features) {
  CurveRequest request;
  request.pieces.assign(features.size(), 0);
  if (!wants_curves(text)) return request;
  std::string_view rest = text;
  if (rest.starts_with(kStepsPrefix)) {
    request.shape = CurveShape::steps;
    rest.remove_prefix(kStepsPrefix.size());
  }
  if (rest.find('=') == std::string_view::npos) {
    request.pieces.assign(features.size(), parse_pieces(text, rest));
    return request;
  }
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    const std::size_t equals = part.rfind('=');
    if (equals == std::string_view::npos || equals == 0) refuse_curves(text, fmt::format("\"{}\" has no number", part));
    const std::size_t pieces = parse_pieces(text, part.substr(equals + 1));
    if (!features.empty()) request.pieces[index_of(part.substr(0, equals), features)] = pieces;
    if (comma == rest.size()) return request;
    rest.remove_prefix(comma + 1);
  }
}

double Curves::raw(const Curve& curve, double x) const {
  const std::vector<double>& knots = curve.knots;
  double sum = 0;
  if (shape == CurveShape::steps) {
    for (std::size_t k = 0; k < knots.size() && x >= knots[k]; ++k) sum += curve.rises[k];
    return sum;
  }
  for (std::size_t k = 0; k + 1 < knots.size() && x > knots[k]; ++k)
    sum += curve.rises[k] * (x >= knots[k + 1] ? 1 : (x - knots[k]) / (knots[k + 1] - knots[k]));
  return sum;
}

double Curves::value(std::size_t j, double weight, double x) const {
  const Curve& curve = features[j];
  if (std::isnan(x)) return curve.missing.value_or(0);
  if (curve.knots.empty()) return weight * (x - curve.median);
  return weight * (x - curve.median) + raw(curve, x) - raw(curve, curve.median);
}

}  // namespace dorm

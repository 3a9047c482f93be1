// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/quote.h"
#include "dorm/clicks/clicks.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr auto kByPosition = [](const PositionPropensity& row, std::uint32_t position) {
  return row.position < position;
};

std::string place_text(std::uint32_t position, std::string_view context) {
  return context.empty() ? fmt::format("position {}", position)
                         : fmt::format("position {} of context {}", position, in_quotes(context));
}

}  // namespace

void Propensities::add(std::string_view context, const PositionPropensity& row) {
  const auto require = [&](bool fine, std::string_view what, double found, std::string_view expected) {
    if (!fine)
      throw Error(ErrorCode::bad_input, fmt::format("the {} of {} is {}; expected {}", what,
                                                    place_text(row.position, context), found, expected));
  };
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  require(row.position >= 1, "number", row.position, "1 or more");
  require(positive(row.propensity), "propensity", row.propensity, "a finite number above 0");
  require(std::isnan(row.error) || (row.error >= 0 && std::isfinite(row.error)), "standard error", row.error,
          "0 or more");
  require(std::isnan(row.alpha) || positive(row.alpha), "alpha", row.alpha, "a finite number above 0");
  require(row.beta >= 0 && std::isfinite(row.beta), "beta", row.beta, "0 or more");
  const std::uint32_t number = contexts_.add(context);
  if (number == rows_.size()) rows_.emplace_back();
  std::vector<PositionPropensity>& rows = rows_[number];
  const auto at = std::lower_bound(rows.begin(), rows.end(), row.position, kByPosition);
  if (at != rows.end() && at->position == row.position)
    throw Error(ErrorCode::bad_input, fmt::format("{} appears twice", place_text(row.position, context)));
  rows.insert(at, row);
}

bool Propensities::by_context() const {
  return contexts_.size() > 1 || (contexts_.size() == 1 && !contexts_[0].empty());
}

bool Propensities::has_trust_bias() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const auto& rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [](const PositionPropensity& row) { return !std::isnan(row.alpha) || row.beta > 0; });
  });
}

const PositionPropensity* Propensities::find(std::uint32_t position, std::string_view context) const {
  const std::optional<std::uint32_t> number = contexts_.find(by_context() ? context : std::string_view());
  if (!number) return nullptr;
  const std::vector<PositionPropensity>& rows = rows_[*number];
  const auto at = std::lower_bound(rows.begin(), rows.end(), position, kByPosition);
  return at != rows.end() && at->position == position ? &*at : nullptr;
}

const PositionPropensity& Propensities::at(std::uint32_t position, std::string_view context) const {
  if (const PositionPropensity* row = find(position, context)) return *row;
  throw Error(ErrorCode::bad_input, fmt::format("no propensity for {}", place_text(position, context)));
}

}  // namespace dorm

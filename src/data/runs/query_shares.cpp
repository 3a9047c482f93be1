// SPDX-License-Identifier: Apache-2.0
#include "data/runs/query_shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/quote.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// "language: " of "language: de", as tables name the columns of words; empty for the others.
std::string_view words_of(std::string_view name) {
  const std::size_t colon = name.find(": ");
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon + 2);
}

}  // namespace

QueryShares::QueryShares(const FusionInput& input, const SideFeatures* table) : input_(input), table_(table) {
  if (input.query_features.empty()) return;
  if (!table)
    throw Error(ErrorCode::bad_input,
                fmt::format("the weights depend on the query feature {}, and there are no query features",
                            in_quotes(input.query_features.front().name)));
  for (const QueryFeature& feature : input.query_features) {
    const auto found = std::find(table->names.begin(), table->names.end(), feature.name);
    const std::string_view words = words_of(feature.name);
    const bool other_words = !words.empty() && std::any_of(table->names.begin(), table->names.end(),
                                                           [&](const auto& name) { return name.starts_with(words); });
    if (found == table->names.end() && !other_words)
      throw Error(ErrorCode::bad_input,
                  fmt::format("no query feature {}; found {}", in_quotes(feature.name), fmt::join(table->names, ", ")));
    column_of_.push_back(static_cast<std::size_t>(found - table->names.begin()));
  }
}

std::vector<double> QueryShares::of(std::string_view query) const {
  if (input_.query_features.empty()) return {};
  const auto row = table_->ids.find(query);
  if (!row) throw Error(ErrorCode::bad_input, "no query features; expected a row for each query of the runs");
  const std::size_t width = table_->names.size();
  std::vector<double> values;
  for (const std::size_t column : column_of_)
    values.push_back(column < width ? table_->values[*row * width + column] : 0.0);
  return input_.shares_of(values);
}

}  // namespace dorm

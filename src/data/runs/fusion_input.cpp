// SPDX-License-Identifier: Apache-2.0
// Names of scales and rules, columns of fused models, and query features as shares.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "base/quote.h"
#include "dorm/error.h"
#include "dorm/fusion/runs.h"

namespace dorm {
namespace {

// clang-format off
constexpr std::array kScales{
    CatalogEntry{"minmax", "minmax", "per query and run: lowest score 0, highest 1"},
    CatalogEntry{"zscore", "zscore", "per query and run: mean 0, standard deviation 1"},
    CatalogEntry{"rank", "rank", "61 / (60 + rank), 0 where not listed: weighted reciprocal rank fusion"},
    CatalogEntry{"none", "none", "scores as they are"},
};
constexpr std::array kAbsent{
    CatalogEntry{"minimum", "minimum", "the least value of the run in that query"},
    CatalogEntry{"below", "below", "a quarter of the run's range below it"},
};
// clang-format on

template <class Name>
std::size_t place_of(std::string_view kind, std::string_view name, const Name& catalog) {
  for (std::size_t i = 0; i < catalog.size(); ++i)
    if (catalog[i].name == name) return i;
  throw_unknown_name(kind, name, catalog);
}

}  // namespace

FusionScale parse_fusion_scale(std::string_view name) {
  return static_cast<FusionScale>(place_of("scale", name, kScales));
}
std::string_view name_of(FusionScale scale) { return kScales[static_cast<std::size_t>(scale)].name; }
std::span<const CatalogEntry> fusion_scale_catalog() { return kScales; }

Absent parse_absent(std::string_view name) {
  return static_cast<Absent>(place_of("rule for absent documents", name, kAbsent));
}
std::string_view name_of(Absent rule) { return kAbsent[static_cast<std::size_t>(rule)].name; }
std::span<const CatalogEntry> absent_catalog() { return kAbsent; }

std::vector<std::string> FusionInput::list_names() const {
  std::vector<std::string> names = runs;
  names.insert(names.end(), features.begin(), features.end());
  return names;
}

std::vector<std::string> FusionInput::column_names() const {
  std::vector<std::string> names = list_names();
  for (const QueryFeature& feature : query_features)
    for (const char* const form : {"{} * {}", "{} * (1 - {})"})
      for (const std::string& run : runs) names.push_back(fmt::format(fmt::runtime(form), run, feature.name));
  return names;
}

std::vector<double> FusionInput::shares_of(std::span<const double> values) const {
  std::vector<double> shares;
  for (std::size_t k = 0; k < query_features.size(); ++k) {
    const QueryFeature& feature = query_features[k];
    if (!std::isfinite(values[k]))
      throw Error(ErrorCode::bad_input, fmt::format("the query feature {} is {}; expected a finite number",
                                                    in_quotes(feature.name), values[k]));
    shares.push_back(std::clamp((values[k] - feature.low) / (feature.high - feature.low), 0.0, 1.0));
  }
  return shares;
}

std::vector<double> FusionInput::weights_at(std::span<const double> weights, std::span<const double> shares) const {
  std::vector<double> out(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(num_lists()));
  std::size_t column = num_lists();
  for (const double share : shares)
    for (const double factor : {share, 1 - share})
      for (std::size_t r = 0; r < runs.size(); ++r) out[r] += factor * weights[column++];
  return out;
}

std::vector<QueryFeature> query_features_of(const SideFeatures& table, std::span<const Judgment> judgments) {
  std::unordered_set<std::uint32_t> rows;
  for (const Judgment& judgment : judgments)
    if (const auto row = table.ids.find(judgment.query)) rows.insert(*row);
  if (judgments.empty())
    for (std::size_t row = 0; row < table.ids.size(); ++row) rows.insert(static_cast<std::uint32_t>(row));
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<QueryFeature> features;
  for (std::size_t j = 0; j < table.names.size(); ++j) {
    QueryFeature feature{table.names[j], kInfinite, -kInfinite};
    for (const std::uint32_t row : rows) {
      const double value = table.values[row * table.names.size() + j];
      feature.low = std::min(feature.low, value);
      feature.high = std::max(feature.high, value);
    }
    if (feature.low < feature.high) features.push_back(std::move(feature));
  }
  if (features.empty())
    throw Error(ErrorCode::bad_input,
                fmt::format("no query feature differs among the {} judged queries that have some; expected the query "
                            "ids of the judgments, and numbers or words that differ",
                            rows.size()));
  return features;
}

}  // namespace dorm

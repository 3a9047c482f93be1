// SPDX-License-Identifier: Apache-2.0
// Names and ranges of the options of matching.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/validate.h"
#include "dorm/matching/match.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 2> kMatchKinds{{
    {.name = "linear", .usage = "linear", .help = "nodes alone: an assignment problem, solved exactly"},
    {.name = "quadratic", .usage = "quadratic", .help = "nodes and edges: a quadratic assignment problem, bounded"},
}};
constexpr std::array<CatalogEntry, 2> kSimilarities{{
    {.name = "gaussian", .usage = "gaussian", .help = "exp(-d^2) of the difference d of a feature"},
    {.name = "squared", .usage = "squared", .help = "-d^2"},
}};
constexpr std::array<CatalogEntry, 2> kMatchScales{{
    {.name = "deviation", .usage = "deviation", .help = "differences in standard deviations of the feature"},
    {.name = "none", .usage = "none", .help = "differences as they are"},
}};

template <class Choice>
Choice parse_match_name(const char* what, std::string_view name, std::span<const CatalogEntry> known) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.name == name; });
  if (found == known.end()) throw_unknown_name(what, name, known);
  return static_cast<Choice>(found - known.begin());
}

}  // namespace

std::span<const CatalogEntry> match_kind_catalog() { return kMatchKinds; }
std::span<const CatalogEntry> similarity_catalog() { return kSimilarities; }
std::span<const CatalogEntry> match_scale_catalog() { return kMatchScales; }

std::string_view name_of(MatchKind kind) { return kMatchKinds[static_cast<std::size_t>(kind)].name; }
std::string_view name_of(Similarity kind) { return kSimilarities[static_cast<std::size_t>(kind)].name; }
std::string_view name_of(MatchScale kind) { return kMatchScales[static_cast<std::size_t>(kind)].name; }

MatchKind parse_match_kind(std::string_view name) {
  return parse_match_name<MatchKind>("kind of matching", name, kMatchKinds);
}
Similarity parse_similarity(std::string_view name) {
  return parse_match_name<Similarity>("similarity", name, kSimilarities);
}
MatchScale parse_match_scale(std::string_view name) {
  return parse_match_name<MatchScale>("scale", name, kMatchScales);
}

void MatchOptions::validate() const {
  require(C > 0 && std::isfinite(C), "C", C, "a finite number above 0");
  require(rounds >= 1 && rounds <= 100, "rounds", static_cast<double>(rounds), "a whole number from 1 to 100");
  require(edge_weight >= 0 && std::isfinite(edge_weight), "edge_weight", edge_weight, "a finite number from 0 on");
  solve.validate();
}

}  // namespace dorm

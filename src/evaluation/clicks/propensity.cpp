// SPDX-License-Identifier: Apache-2.0
#include "dorm/clicks/propensity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/numeric.h"
#include "base/quote.h"
#include "dorm/error.h"
#include "evaluation/clicks/estimators.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 5> kPropensityMethods = {{
    {.name = "allpairs",
     .usage = "allpairs",
     .help = "intervention harvesting: documents that rankers put at different positions; all pairs of positions, "
             "weighted least squares"},
    {.name = "pivot", .usage = "pivot", .help = "the same, every position against one alone, the pivot"},
    {.name = "adjacent", .usage = "adjacent", .help = "the same, every position against the one before it"},
    {.name = "swaps", .usage = "swaps", .help = "sessions with positions in random order, marked by a column"},
    {.name = "regression-em",
     .usage = "regression-em",
     .help = "propensity times relevance by maximum likelihood; relevance a function of features, or free; "
             "biased where that function is wrong"},
}};

void add_context(const std::string& context, const std::vector<std::uint32_t>& positions, PositionLogs logs,
                 const PropensityOptions& options, PropensityEstimate& estimate) {
  if (options.isotonic) make_isotonic(logs);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const double p = std::exp(logs.x[k]);
    estimate.propensities.add(context, {.position = positions[k], .propensity = p, .error = p * logs.error[k]});
  }
}

void estimate_swaps(const ClickCounts& counts, const PropensityOptions& options, PropensityEstimate& estimate) {
  std::map<std::string, std::vector<SwapExperiment>> groups;
  for (std::uint32_t c = 0; c < counts.contexts.size(); ++c) {
    const std::string& name = counts.contexts[c];
    const std::size_t bar = name.rfind('|');
    SwapExperiment experiment;
    if (!parse_swap(bar == std::string::npos ? name : name.substr(bar + 1), experiment.positions)) continue;
    experiment.shown = shown_in(counts, c);
    groups[bar == std::string::npos ? std::string() : name.substr(0, bar)].push_back(std::move(experiment));
  }
  if (groups.empty())
    throw Error(ErrorCode::bad_input,
                "no row of the log marks positions in random order; expected a range such as 1-4, or all");
  for (const auto& [context, experiments] : groups) {
    PropensityEvidence& evidence = estimate.evidence.emplace_back();
    evidence.context = context;
    std::vector<std::uint32_t> positions;
    PositionLogs logs = compare_swaps(experiments, positions, evidence);
    add_context(context, positions, std::move(logs), options, estimate);
  }
}

PositionLogs estimate_context(const Shown& shown, const ClickCounts& counts, const PropensityOptions& options,
                              const Dataset* features, PropensityEvidence& evidence) {
  if (options.method == "allpairs") return harvest(shown, HarvestPairs::all, options.pivot, evidence);
  if (options.method == "pivot") return harvest(shown, HarvestPairs::pivot, options.pivot, evidence);
  if (options.method == "adjacent") return harvest(shown, HarvestPairs::adjacent, options.pivot, evidence);
  return regression_em(shown, counts, features, options, evidence);
}

}  // namespace

std::span<const CatalogEntry> propensity_catalog() { return kPropensityMethods; }

PropensityEstimate estimate_propensities(const ClickCounts& counts, const PropensityOptions& options,
                                         const Dataset* features) {
  if (std::none_of(kPropensityMethods.begin(), kPropensityMethods.end(),
                   [&](const CatalogEntry& entry) { return entry.name == options.method; }))
    throw_unknown_name("method to estimate propensities", options.method, kPropensityMethods);
  if (features && options.method != "regression-em")
    throw Error(ErrorCode::bad_option,
                fmt::format("the method {} has no use for features; expected regression-em", options.method));
  PropensityEstimate estimate;
  if (std::none_of(counts.rows.begin(), counts.rows.end(), [](const ClickCount& row) { return row.impressions > 0; }))
    throw Error(ErrorCode::bad_input, "the log shows nothing; expected documents");
  if (options.method == "swaps") {
    estimate_swaps(counts, options, estimate);
    return estimate;
  }
  for (std::uint32_t c = 0; c < counts.contexts.size(); ++c) {
    const Shown shown = shown_in(counts, c);
    if (shown.num_documents() == 0) continue;
    PropensityEvidence& evidence = estimate.evidence.emplace_back();
    evidence.context = counts.contexts[c];
    PositionLogs logs = estimate_context(shown, counts, options, features, evidence);
    add_context(counts.contexts[c], shown.positions, std::move(logs), options, estimate);
  }
  return estimate;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Positions that a session put in random order show the same documents on average, so that their click rates differ as
// their propensities do.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/quote.h"
#include "dorm/error.h"
#include "evaluation/clicks/estimators.h"

namespace dorm {
namespace {

struct RateTotals {
  double impressions = 0, clicks = 0;
};

/// A pair of positions of one experiment.
struct SwapPair {
  std::size_t experiment, a, b;  // positions by their place in all of them
};

bool takes_part(const SwapExperiment& experiment, std::uint32_t position) {
  return experiment.positions.empty() ||
         std::find(experiment.positions.begin(), experiment.positions.end(), position) != experiment.positions.end();
}

// By place in `positions`; zero at positions that the experiment leaves alone.
void add_totals(const SwapExperiment& experiment, std::size_t document, const std::vector<std::uint32_t>& positions,
                std::vector<RateTotals>& totals) {
  for (const ShownCell& cell : experiment.shown.document(document).cells) {
    const std::uint32_t position = experiment.shown.positions[cell.place];
    if (!takes_part(experiment, position)) continue;
    const auto place = std::lower_bound(positions.begin(), positions.end(), position) - positions.begin();
    totals[static_cast<std::size_t>(place)].impressions += cell.impressions;
    totals[static_cast<std::size_t>(place)].clicks += cell.clicks;
  }
}

using Totals = std::vector<std::vector<RateTotals>>;  // by experiment and position

std::vector<LogRatio> swapped_pairs(const Totals& totals, std::vector<SwapPair>& which) {
  std::vector<LogRatio> pairs;
  for (std::size_t e = 0; e < totals.size(); ++e)
    for (std::size_t a = 0; a < totals[e].size(); ++a)
      for (std::size_t b = a + 1; b < totals[e].size(); ++b) {
        const RateTotals &first = totals[e][a], &second = totals[e][b];
        if (!(first.clicks > 0 && second.clicks > 0)) continue;
        pairs.push_back({a, b,
                         std::log(first.clicks / first.impressions) - std::log(second.clicks / second.impressions),
                         1 / (1 / first.clicks + 1 / second.clicks)});
        which.push_back({e, a, b});
      }
  return pairs;
}

// What a query adds to the logarithm of a rate, to first order.
double added_to_rate(const RateTotals& own, const RateTotals& all) {
  return own.clicks / all.clicks - own.impressions / all.impressions;
}

}  // namespace

bool parse_swap(const std::string& word, std::vector<std::uint32_t>& positions) {
  positions.clear();
  if (word.empty() || word == "0" || word == "none") return false;
  if (word == "all") return true;
  const char* at = word.data();
  const char* const end = at + word.size();
  bool fine = false;
  for (;; ++at) {
    std::uint32_t position = 0;
    const auto [next, problem] = std::from_chars(at, end, position);
    if (problem != std::errc() || position == 0) break;
    positions.push_back(position);
    at = next;
    fine = at == end && positions.size() > 1;
    if (at == end || *at != '-') break;
  }
  std::sort(positions.begin(), positions.end());
  if (!fine || std::adjacent_find(positions.begin(), positions.end()) != positions.end())
    throw Error(ErrorCode::bad_input, fmt::format("the positions that changed places are {}; expected two or more, as "
                                                  "in 1-4, or all; or none",
                                                  in_quotes(word)));
  return true;
}

PositionLogs compare_swaps(const std::vector<SwapExperiment>& experiments, std::vector<std::uint32_t>& positions,
                           PropensityEvidence& evidence) {
  positions.clear();
  for (const SwapExperiment& experiment : experiments)
    for (const std::uint32_t position : experiment.shown.positions)
      if (takes_part(experiment, position)) positions.push_back(position);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  if (positions.empty())
    throw Error(ErrorCode::bad_input, "no session put positions in random order; expected some that did");

  Totals totals(experiments.size(), std::vector<RateTotals>(positions.size()));
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, std::size_t>>> of_query;  // experiment, document
  for (std::size_t e = 0; e < experiments.size(); ++e)
    for (std::size_t i = 0; i < experiments[e].shown.num_documents(); ++i) {
      add_totals(experiments[e], i, positions, totals[e]);
      of_query[experiments[e].shown.document(i).query].emplace_back(e, i);
      ++evidence.documents;
    }
  // Pairs without weight would be left out by the graph, and `which` would not fit: there are none.
  std::vector<SwapPair> which;
  LogRatioGraph graph(swapped_pairs(totals, which), positions, evidence.context);
  evidence.pairs = which.size();
  std::vector<double> added(which.size());
  Totals own = totals;
  for (const auto& [query, documents] : of_query) {
    for (auto& experiment : own) std::fill(experiment.begin(), experiment.end(), RateTotals{});
    for (const auto& [e, i] : documents) add_totals(experiments[e], i, positions, own[e]);
    for (std::size_t k = 0; k < which.size(); ++k) {
      const auto [e, a, b] = which[k];
      added[k] = added_to_rate(own[e][a], totals[e][a]) - added_to_rate(own[e][b], totals[e][b]);
    }
    graph.add_query(added);
    ++evidence.queries;
  }
  return graph.solve();
}

}  // namespace dorm

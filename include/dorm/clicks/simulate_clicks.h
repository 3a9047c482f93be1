// SPDX-License-Identifier: Apache-2.0
// Clicks of simulated users on judged data, whose truth is known. Every random number comes from the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/clicks/clicks.h"
#include "dorm/dataset.h"

namespace dorm {

/// How users click. rel is (2^label - 1) / (2^largest - 1), and what attracts is noise + (1 - noise) rel. Position k is
/// looked at with p_k = k^-eta.
///   pbm:     P(click) = p_k times what attracts
///   cascade: from the top, each document is looked at; after a click users read on with probability go_on
///   ubm:     after a click at position j (0: none yet) position k is looked at with probability (k (k - j))^(-eta /
///   2):
///            as pbm until the first click, more behind one
///   trust:   P(click) = p_k (e+ rel + e- (1 - rel)), e+ = 1 - (min(k, 20) + 1) / 100, e- = trust / min(k, 10): what
///            is ranked high is clicked whether it is relevant or not
enum class ClickModel { pbm, cascade, ubm, trust };
ClickModel parse_click_model(std::string_view name);  // throws Error(unknown_name)
std::string_view name_of(ClickModel model);
std::span<const CatalogEntry> click_model_catalog();

struct ClickSimulation {
  ClickModel model = ClickModel::pbm;
  double eta = 1;
  double noise = 0.1;
  double go_on = 0.5;
  double trust = 0.65;
  std::uint64_t sessions = 100;  // per query
  std::uint32_t top = 10;        // documents on a page
  std::uint64_t rankers = 1;     // of which each session meets one, by chance
  double ranker_noise = 0.5;     // of rankers that are not given: they sort by rel plus noise of this deviation
  bool expected = false;         // expected counts of each ranker's page instead of sessions
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(bad_option)
};

/// A document on a page.
struct SimulatedClick {
  std::uint64_t session = 0;               // counted from 1 over all queries; 0: expected counts
  std::size_t query = 0, document = 0;     // of the data; documents counted over all queries
  std::uint32_t position = 1, ranker = 0;  // rankers from 0
  double impressions = 1, clicks = 0;
};

/// Calls `visit` with every document shown, page by page. `scores`: of production rankers, one per document each, in
/// the order of the data; none: options.rankers of its own make. Throws Error(bad_input) for data without labels or
/// another number of scores.
void simulate_clicks(const Dataset& data, const ClickSimulation& options, std::span<const std::vector<double>> scores,
                     const std::function<void(const SimulatedClick&)>& visit);

/// How likely positions are to be looked at: of pbm and trust exactly, of the others on average over the pages, which
/// is the best that one number per position can say.
Propensities simulated_propensities(const Dataset& data, const ClickSimulation& options,
                                    std::span<const std::vector<double>> scores);

}  // namespace dorm

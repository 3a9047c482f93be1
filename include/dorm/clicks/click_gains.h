// SPDX-License-Identifier: Apache-2.0
// From clicks to gains: labels for training that do not depend on where documents were shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dorm/clicks/clicks.h"
#include "dorm/dataset.h"

namespace dorm {

struct ClickGainOptions {
  double clip = 0.05;  // a propensity counts as this much at least: a click weighs 1 / clip at most

  /// What a gain is the mean over. pages: the pages of the query's results, shown on them or not; shown: those pages
  /// that showed the document, which is right also where rankers show different documents.
  enum class Per { pages, shown } per = Per::pages;
};

struct ClickGain {
  std::uint32_t query = 0, document = 0;  // numbers of the counts
  double gain = 0;                        // finite, 0 or more
};

/// b_i = (1 / N) sum over impressions of (c - beta_k) / max(alpha_k, clip), beta being 0 and alpha the propensity
/// unless there is trust bias. A query with a gain below 0 is shifted by its smallest: that changes the value of every
/// ranking by the same amount, and b >= 0 is what oracles assume.
struct ClickGains {
  std::vector<ClickGain> rows;  // by query and document, every document that was shown
  std::vector<double> shift;    // by query: what was added to each of its gains, also to those never shown
  std::size_t shifted_queries = 0;
  double clicks = 0, impressions = 0;
  double effective_clicks =
      0;  // (sum of weights)^2 / sum of squared weights: the number of equal clicks of the same precision
  double clipped_clicks = 0;
  double clipped_share = 0;  // of the weight that clicks would have without clipping
};

/// No propensities: every click weighs 1. Throws Error(bad_input) naming the positions that have no propensity, and
/// Error(bad_option) for a clip outside [0, 1].
ClickGains estimate_gains(const ClickCounts& counts, const Propensities& propensities,
                          const ClickGainOptions& options = {});

/// Documents with features and gains as labels, and what did not come together.
struct JudgedByClicks {
  Dataset data;                      // of_clicks(); the queries of the log, with all documents that have features
  std::size_t never_shown = 0;       // documents with features, in queries of the log, that it never shows: no gain
  std::size_t without_features = 0;  // documents of the log
  std::size_t queries_without_features = 0;  // of the log
  std::size_t queries_not_logged = 0;        // of the features, left out
};

/// By query and document id; documents without ids are named by their row. `query_of`: for each query of the counts the
/// id that the features know it by; empty: its own. A query of the features may then occur many times (one for each
/// page), and rows are copied; else they are shared. Throws Error(bad_input) when nothing comes together.
JudgedByClicks join_gains(const ClickCounts& counts, const ClickGains& gains, const Dataset& features,
                          const std::vector<std::string>& query_of = {});

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Rankers evaluated by clicks on the results of other rankers. Measures that are sums of position weight times
// relevance have unbiased estimates, given the propensities; others are refused. docs/click-evaluation.md says when not
// to trust them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/clicks/clicks.h"
#include "dorm/dataset.h"
#include "dorm/evaluate.h"
#include "dorm/measure.h"

namespace dorm {

struct ClickEvaluateOptions {
  std::string estimator = "ips";  // a name of click_estimator_catalog()
  double clip = 0;                // propensities below count as this much: bias for variance
  bool per_page = false;          // a query counts as often as its results were shown, not once
  std::size_t folds = 5;          // of ips+model: relevance is predicted by models of other queries
  EvaluateOptions evaluate = {};  // discount, ties, bootstrap, confidence, seed, threads
};

std::span<const CatalogEntry> click_estimator_catalog();

/// The data of an evaluation.
struct ClickEvidence {
  double clicks = 0, impressions = 0;  // of the log
  double effective_clicks = 0;         // (sum of weights)^2 / sum of squared weights
  double clipped_share = 0;            // of the weight that clicks would have without clipping
  std::size_t queries = 0;             // of the data, that the log has
  std::size_t queries_unknown = 0;     // of the log, that the data has not
  std::size_t documents_unknown = 0;   // of the log, in queries that the data has
  double clicks_unknown = 0;           // on those
  std::size_t never_shown = 0;         // documents of the data, in queries of the log
};

struct ClickEvaluation {
  EvaluationTable table;       // of the queries of the data; queries that the log lacks are skipped
  std::vector<double> unseen;  // by measure: share of the position weights at documents never shown
};

/// The documents of a data set with what clicks say of each.
class ClickJudge {
 public:
  /// Documents are called by Dataset::document_name(); labels are not looked at. Throws Error(bad_input) for positions
  /// without a propensity and for a log that has none of the queries, Error(unsupported) for `snips` with trust bias.
  ClickJudge(const Dataset& data, const ClickCounts& counts, const Propensities& propensities,
             const ClickEvaluateOptions& options = {});

  /// `scores` in document order; -infinity: not in the ranking. Throws Error(unsupported) for a measure that is no sum.
  ClickEvaluation evaluate(std::span<const double> scores, std::span<const std::string> measures) const;

  const ClickEvidence& evidence() const { return evidence_; }
  std::span<const double> gains() const { return gains_; }  // by document: the estimated relevance; 0: never shown

 private:
  void match(const ClickCounts& counts, const Propensities& propensities);
  void add_model();

  Dataset data_;
  ClickEvaluateOptions options_;
  ClickEvidence evidence_;
  std::vector<double> gains_;    // by document
  std::vector<double> seen_;     // by document: impressions
  std::vector<double> covered_;  // by document: mean of slope / clipped slope over impressions; 0: never shown
  std::vector<double> weight_;   // by query: 0: not in the log
};

/// The measure with labels that are relevance itself: dcg@10 is dcg@10:gain=linear. Throws Error(unsupported),
/// naming measures that are, unless it is a sum of position weight times relevance.
FactoredMeasurePtr additive_measure(const std::string& spelling, const Convention& convention = {});

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Is the judging enough? What runs show that nobody judged, and how far two sets of judgments agree.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dorm/data/judgments.h"
#include "dorm/evaluate.h"

namespace dorm {

/// One measure of a run, with its documents without a judgment taken as bad (label 0), passed over, and taken as good
/// (the highest label of all judgments).
struct UnjudgedFigures {
  double bad = 0, passed_over = 0, good = 0;
};

/// What is judged of one run.
struct Coverage {
  std::vector<double> judged;            // by cutoff: the mean share of documents with a judgment
  std::size_t unjudged = 0;              // documents of judged queries, down to the largest cutoff
  std::vector<UnjudgedFigures> figures;  // by measure
};

/// Of runs against judgments; only documents down to `depth` are taken as good. Measures by the options.
Coverage coverage_of(std::span<const Judgment> judgments, std::span<const RunEntry> run,
                     std::span<const std::size_t> cutoffs, std::span<const std::string> measures,
                     const EvaluateOptions& options = {});

/// Two sets of judgments on the documents that both judge.
struct JudgmentAgreement {
  std::size_t both = 0, only_first = 0, only_second = 0;
  double equal = 0;                      // share of the same label
  std::optional<double> kappa;           // Cohen's, of relevant or not (above 0)
  std::optional<double> weighted_kappa;  // of labels, by squared difference
  std::optional<double> alpha;           // Krippendorff's, for labels at intervals
};
JudgmentAgreement agreement_of(std::span<const Judgment> first, std::span<const Judgment> second);

/// Kendall's tau-b of two lists of figures; none where one of them is constant.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The values of one query: its documents ranked, and each measure of the ranking.
#pragma once

#include <span>

#include "dorm/evaluate.h"
#include "evaluation/ranking.h"

namespace dorm {

/// How every query is judged.
struct Criteria {
  std::span<const Measure* const> measures;
  const Convention& convention;
  Ties ties;
  bool as_ranked;
  std::size_t depth;
};

/// The convention's rule for ties, or that of the options.
Ties choose_ties(const Convention& convention, const EvaluateOptions& options, bool have_document_ids);

/// Throws Error(bad_option) for measures and options that have no expectation over ties, where that is asked for.
void require_order(std::span<const Measure* const> measures, const EvaluateOptions& options, Ties ties,
                   bool limits_on_groups);

/// A table without values, for as many queries, whose ids are to be filled in.
EvaluationTable empty_table(const Criteria& by, const EvaluateOptions& options, std::size_t queries);

/// Fills row q of the table; rows may be filled side by side. `ranked` is memory of the thread.
void evaluate_query(const ScoredQuery& query, std::size_t q, const Criteria& by, RankedQuery& ranked,
                    EvaluationTable& table);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Runs judged by subtopic, as in the diversity task of TREC.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/read.h"
#include "dorm/subtopic_measure.h"

namespace dorm {

/// `qid subtopic docid relevance` per line (TREC diversity qrels). Relevant: above 0.
struct SubtopicJudgment {
  std::string query, subtopic, document;
  float label;
};
std::vector<SubtopicJudgment> read_subtopics(const std::string& path);
std::vector<SubtopicJudgment> parse_subtopics(std::string_view text, const std::string& name);

/// As evaluate_run(), by the measures of subtopic_catalog(). Equal scores as options.ties says ("expected" is refused).
/// options.one_per (host or domain) filters the run first; the ideal of alpha-ndcg is not limited.
EvaluationTable evaluate_subtopics(std::span<const SubtopicJudgment> judgments, std::span<const RunEntry> run,
                                   std::span<const std::string> measures, const EvaluateOptions& options = {});

}  // namespace dorm

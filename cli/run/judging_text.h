// SPDX-License-Identifier: Apache-2.0
// Whether the judging is enough: coverage of runs, agreement of judgments.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "dorm/evaluation/judging.h"

namespace dorm::cli {

/// What is said of the judgments of several runs.
struct JudgingReport {
  std::vector<std::string> runs, measures;  // names
  std::vector<std::size_t> cutoffs;         // of the coverage
  std::vector<Coverage> coverage = {};      // by run; none where it was not asked for
  std::string other = {};                   // the other judgments; empty: none
  JudgmentAgreement agreement = {};
  std::optional<JudgingPlan> plan = {};  // of the first two runs and the first measure
  std::string list = {};                 // where it lists what to judge
  double confidence = 0, same_within = 0;
  std::vector<std::vector<double>> first = {}, second = {};  // [measure][run]: means under each of the two
};

std::string judging_text(const JudgingReport& report);
Json judging_json(const JudgingReport& report);
/// The table qid,docid,label without labels.
std::string to_judge_csv(std::span<const DocumentToJudge> documents);

}  // namespace dorm::cli

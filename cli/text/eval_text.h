// SPDX-License-Identifier: Apache-2.0
// How an evaluation is shown: a table, JSON, or one line of CSV per query.
#pragma once

#include <string>
#include <vector>

#include "dorm/evaluate.h"

namespace dorm::cli {

/// An evaluation, and the one it is compared with, measure by measure.
struct EvalReport {
  EvaluationTable table;
  EvaluateOptions options;            // it was made with
  std::string against;                // what the other one is; empty: none
  std::vector<double> against_means;  // one per measure, as are the tests
  std::vector<PairedTest> tests;
};

std::string eval_text(const EvalReport& report);
std::string eval_json(const EvalReport& report);
std::string per_query_csv(const EvaluationTable& table);

}  // namespace dorm::cli

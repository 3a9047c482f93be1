// SPDX-License-Identifier: Apache-2.0
// How an evaluation is shown: a table, JSON, or one line of CSV per query.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
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

/// Parts of the output, for one ranker or several.
std::string interval_text(double low, double high);                                         // "[0.1234, 0.5678]"
std::string evaluation_line(const EvaluationTable& table, const EvaluateOptions& options);  // how it was judged
Json evaluation_json(const EvaluationTable& table, const EvaluateOptions& options);
Json measure_json(const MeasureResult& measure);
Json test_json(const PairedTest& test, double other_mean);

std::string eval_text(const EvalReport& report);
std::string eval_json(const EvalReport& report);
std::string per_query_csv(const EvaluationTable& table);

}  // namespace dorm::cli

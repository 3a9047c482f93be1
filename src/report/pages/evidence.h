// SPDX-License-Identifier: Apache-2.0
// Is the model worth having? Its figure beside those of rankers that cost little: the best single feature, ridge
// regression, and what is in production.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dorm/apps/pages.h"
#include "report/pages/quality.h"

namespace dorm::pages {

/// Another ranker on the same queries.
struct Yardstick {
  std::string name;  // "ridge regression"
  MeasureResult figure;
  PairedTest test = {};             // the model less this one
  double p = 1;                     // permutation test, Holm's correction over the yardsticks
  std::vector<double> scores = {};  // of the judged documents; none: not known
};

struct Evidence {
  MeasureResult figure;     // of the model
  std::string on;           // "the validation data"
  bool flattering = false;  // the model was fitted to these very queries
  bool held_out = false;    // the figure is of folds, not of the delivered model on data at hand
  std::vector<Yardstick> yardsticks = {};
  std::vector<std::string> remarks = {};  // what was left out, or done by a sample
};

/// Judges the yardsticks where the model was judged.
Evidence gather_evidence(const TrainingReportData& report_data, const Judgement& judgement, std::size_t threads);

/// The model beside TrainingReportData::baseline, which must be there, and nothing else.
Evidence evidence_against(const TrainingReportData& report_data, std::size_t threads);

/// What is in production.
Yardstick production_yardstick(const TrainingReportData::Baseline& baseline, const Dataset& judged,
                               const std::string& measure, const std::string& convention, std::size_t threads);

/// The best single feature of the training data, judged on `judged`.
Yardstick single_feature_yardstick(const Dataset& train, const Dataset& judged, const std::string& measure,
                                   const std::string& convention, std::size_t threads,
                                   std::vector<std::string>& remarks);

/// Fills in the tests against the figure.
void test_yardsticks(Evidence& evidence);

/// "NDCG@10 0.714 [0.669, 0.759] on the validation data. ... Better than both (p < 0.0001 and 0.0130)."
report::Notice verdict_of(const Evidence& evidence);

/// All queries for a reader to explore: the model's lists beside those of the yardsticks. `data` names
/// what they are of.
report::Section every_query_section(const Model& model, const Judgement& judgement, const Evidence& evidence,
                                    const std::string& data);

/// The figures as a forest, and the tests beside it.
report::Section evidence_section(const Evidence& evidence);

}  // namespace dorm::pages

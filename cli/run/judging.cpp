// SPDX-License-Identifier: Apache-2.0
#include "run/judging.h"

#include "dorm/read.h"
#include "run/evaluate_rankers.h"

namespace dorm::cli {
namespace {

/// A run of a file is read when it is wanted; one that a fused model made is there.
std::vector<RunEntry> entries_of(const Ranker& ranker) {
  const auto* made = std::get_if<std::vector<RunEntry>>(&ranker.what);
  return made ? *made : read_run(ranker.file);
}

// By measure, the mean of each run.
std::vector<std::vector<double>> means_under(const std::vector<Judgment>& judgments, const std::vector<Ranker>& runs,
                                             const std::vector<std::string>& measures, EvaluateOptions options) {
  options.bootstrap = 0;
  std::vector<std::vector<double>> means(measures.size());
  for (const Ranker& run : runs) {
    const EvaluationTable table = evaluate_run(judgments, entries_of(run), measures, options);
    for (std::size_t m = 0; m < measures.size(); ++m) means[m].push_back(table.measures[m].mean);
  }
  return means;
}

}  // namespace

JudgingReport survey_judging(const std::vector<Ranker>& runs, const EvalArguments& arguments) {
  JudgingReport report{.runs = {}, .measures = split_measures(arguments.measures), .cutoffs = {5, 10, 20, 50, 100}};
  const std::vector<Judgment> judgments = chosen_judgments(arguments);
  for (const Ranker& run : runs) {
    report.runs.push_back(run.name);
    if (arguments.coverage)
      report.coverage.push_back(
          coverage_of(judgments, entries_of(run), report.cutoffs, report.measures, arguments.options));
  }
  if (arguments.other_qrels.empty()) return report;
  report.other = arguments.other_qrels;
  const std::vector<Judgment> others = read_qrels(arguments.other_qrels);
  report.agreement = agreement_of(judgments, others);
  report.first = means_under(judgments, runs, report.measures, arguments.options);
  report.second = means_under(others, runs, report.measures, arguments.options);
  return report;
}

}  // namespace dorm::cli

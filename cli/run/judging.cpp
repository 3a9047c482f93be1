// SPDX-License-Identifier: Apache-2.0
#include "run/judging.h"

#include <fmt/format.h>

#include "dorm/data/read_runs.h"
#include "dorm/error.h"
#include "dorm/evaluation/run_evaluation.h"
#include "dorm/read.h"
#include "input/input.h"
#include "run/evaluate_rankers.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

/// A run of a file is read when it is wanted; one that a fused model made is there.
RunSource source_of(const Ranker& ranker, std::size_t threads) {
  return [&ranker, threads](RunSink& sink) {
    if (const auto* made = std::get_if<std::vector<RunEntry>>(&ranker.what)) return hand_on(*made, sink, threads);
    about_file(ranker.file, [&] { read_run(ranker.file, sink, {.threads = threads}); });
  };
}

// By measure, the mean of each run.
std::vector<std::vector<double>> means_under(const std::vector<Judgment>& judgments, const std::vector<Ranker>& runs,
                                             const std::vector<std::string>& measures, EvaluateOptions options) {
  options.bootstrap = 0;
  std::vector<std::vector<double>> means(measures.size());
  for (const Ranker& run : runs) {
    RunEvaluation evaluation(judgments, measures, options);
    source_of(run, options.threads)(evaluation);
    const EvaluationTable table = evaluation.table();
    for (std::size_t m = 0; m < measures.size(); ++m) means[m].push_back(table.measures[m].mean);
  }
  return means;
}

// The first two runs, by the first measure.
void plan_next(const std::vector<Ranker>& runs, const EvalArguments& arguments, JudgingReport& report) {
  if (runs.size() != 2)
    throw Error(ErrorCode::bad_option, fmt::format("--to-judge decides between two runs; found {}", runs.size()));
  JudgingOptions options = arguments.judging;
  options.evaluate = arguments.options;
  options.same_within = arguments.tests.same_within;
  std::vector<Judgment> before, since;
  if (!arguments.qrels.empty()) before = chosen_judgments(arguments, false);
  if (!arguments.new_qrels.empty()) since = read_qrels(arguments.new_qrels);
  report.plan = plan_judging(before, since, source_of(runs[0], options.evaluate.threads),
                             source_of(runs[1], options.evaluate.threads), report.measures.front(), options);
  report.confidence = options.evaluate.confidence;
  report.same_within = options.same_within;
  report.list = arguments.to_judge;
  if (!arguments.to_judge.empty()) write_text(arguments.to_judge, to_judge_csv(report.plan->next));
}

}  // namespace

JudgingReport survey_judging(const std::vector<Ranker>& runs, const EvalArguments& arguments) {
  JudgingReport report{.runs = {}, .measures = split_measures(arguments.measures), .cutoffs = {5, 10, 20, 50, 100}};
  for (const Ranker& run : runs) report.runs.push_back(run.name);
  if (arguments.plans_judging()) plan_next(runs, arguments, report);
  if (!arguments.coverage && arguments.other_qrels.empty()) return report;
  const std::vector<Judgment> judgments = chosen_judgments(arguments);
  for (const Ranker& run : runs)
    if (arguments.coverage)
      report.coverage.push_back(coverage_of(judgments, source_of(run, arguments.options.threads), report.cutoffs,
                                            report.measures, arguments.options));
  if (arguments.other_qrels.empty()) return report;
  report.other = arguments.other_qrels;
  const std::vector<Judgment> others = read_qrels(arguments.other_qrels);
  report.agreement = agreement_of(judgments, others);
  report.first = means_under(judgments, runs, report.measures, arguments.options);
  report.second = means_under(others, runs, report.measures, arguments.options);
  return report;
}

}  // namespace dorm::cli

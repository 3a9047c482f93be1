// SPDX-License-Identifier: Apache-2.0
// What the baselines share: the unit of C, the solver's options, the labels as classes.
#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"
#include "learning/baseline/method.h"

namespace dorm {
namespace {

constexpr std::size_t kMostClasses = 64;

}  // namespace

SolveOptions solve_options(const MethodOptions& options) {
  SolveOptions solve;
  solve.solver = parse_solver(options.solver);
  solve.tolerance = options.tolerance;
  solve.max_passes = options.max_passes;
  solve.threads = options.threads;
  solve.seed = options.seed;
  return solve;
}

SolveReport in_unit_scale(SolveReport report, const TrainingSet& set) {
  report.primal /= set.squared_scale();
  report.dual /= set.squared_scale();
  for (Progress& progress : report.history) {
    progress.primal /= set.squared_scale();
    progress.dual /= set.squared_scale();
  }
  return report;
}

BaselineFit solve_scores(const BaselineProblem& problem, const ScoreRisk::Maker& make, Unit unit, const char* what,
                         double bias) {
  const TrainingSet& set = problem.set;
  ScoreRisk risk(set.linear_features(), make, unit, bias);
  if (risk.num_blocks() == 0)
    throw Error(ErrorCode::bad_input, fmt::format("nothing to learn from: no query has {}", what));
  risk.set_trade_off(problem.options.C * set.squared_scale() / static_cast<double>(risk.num_blocks()));
  SolveResult result = solve(risk, solve_options(problem.options), problem.observer);
  result.w.resize(set.linear_features().dimension());
  return {std::move(result.w), in_unit_scale(std::move(result.report), set)};
}

std::vector<float> distinct_labels(const Dataset& data) {
  std::vector<float> labels;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Labels own = data.query(q).labels;
    labels.insert(labels.end(), own.begin(), own.end());
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    if (labels.size() > kMostClasses)
      throw Error(ErrorCode::unsupported,
                  fmt::format("more than {} different labels: this method takes labels as classes; use svr "
                              "or ridge for real-valued ones",
                              kMostClasses));
  }
  return labels;
}

}  // namespace dorm

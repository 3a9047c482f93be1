// SPDX-License-Identifier: Apache-2.0
// What the baselines share: solving a sum of losses, the labels as classes.
#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"
#include "learning/baseline/method.h"

namespace dorm {
namespace {

constexpr std::size_t kMostClasses = 64;

}  // namespace

BaselineFit solve_scores(const BaselineProblem& problem, const ScoreRisk::Maker& make, Unit unit, const char* what,
                         double bias) {
  const TrainingSet& set = problem.set;
  ScoreRisk risk(set.linear_features(), make, unit, bias);
  if (risk.num_blocks() == 0)
    throw Error(ErrorCode::bad_input, fmt::format("nothing to learn from: no query has {}", what));
  risk.set_trade_off(set.units().trade_off(problem.options.C, risk.num_blocks()));
  SolveResult result = solve(risk, problem.options.solve, problem.observer, {}, problem.options.compute);
  result.w.resize(set.linear_features().dimension());
  return {std::move(result.w), set.units().objective(std::move(result.report))};
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

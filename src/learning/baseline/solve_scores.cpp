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
  BaselineFit fit{std::move(result.w), set.units().objective(std::move(result.report))};
  SolveReport constant;
  if (bias == 0) {
    constant.primal = risk.value_at_zero();
  } else {
    risk.forget_features();
    constant = solve(risk, problem.options.solve, {}, {}, problem.options.compute).report;
  }
  fit.constant_primal = set.units().objective(std::move(constant)).primal;
  return fit;
}

std::vector<double> class_weights(const Dataset& data, std::span<const float> classes, bool balanced) {
  std::vector<double> weights(classes.size(), 1.0);
  if (!balanced) return weights;
  std::vector<double> documents(classes.size(), 0.0);
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (float label : data.query(q).labels)
      documents[static_cast<std::size_t>(std::lower_bound(classes.begin(), classes.end(), label) - classes.begin())] +=
          1;
  for (std::size_t k = 0; k < classes.size(); ++k)
    weights[k] = static_cast<double>(data.num_documents()) / (static_cast<double>(classes.size()) * documents[k]);
  return weights;
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

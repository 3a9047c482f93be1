// SPDX-License-Identifier: Apache-2.0
// Grades as classes. A linear score that grows with the grade is made of the decision functions f_k: the sum of grade_k
// f_k(x). Biases are constants, which rank nothing.
#include <array>
#include <cmath>

#include "base/stopwatch.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "learning/baseline/class_risk.h"
#include "learning/baseline/method.h"

namespace dorm {
namespace {

/// A feature of ones, beside features in unit scale.
double unit_bias(const TrainingSet& set) { return 1 / std::sqrt(set.squared_scale()); }

std::vector<float> classes_of(const Dataset& data) {
  std::vector<float> classes = distinct_labels(data);
  if (classes.size() < 2) throw Error(ErrorCode::bad_input, "nothing to learn from: all documents have the same label");
  return classes;
}

/// By side, the class `positive` first: as many documents as there are, over twice those of the side.
std::array<double, 2> side_weights(const Dataset& data, float positive, bool balanced) {
  if (!balanced) return {1, 1};
  double own = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (float label : data.query(q).labels) own += label == positive ? 1 : 0;
  const auto all = static_cast<double>(data.num_documents());
  return {all / (2 * own), all / (2 * (all - own))};
}

void add_report(const SolveReport& part, SolveReport& sum) {
  if (sum.oracle_calls == 0 || part.status != SolveStatus::converged) sum.status = part.status;
  sum.primal += part.primal;
  sum.dual += part.dual;
  sum.gap = relative_gap(sum.primal, sum.dual);
  sum.passes += part.passes;
  sum.oracle_calls += part.oracle_calls;
  sum.planes += part.planes;
  sum.support_vectors += part.support_vectors;
  sum.seconds += part.seconds;
  sum.oracle_seconds += part.oracle_seconds;
  sum.qp_seconds += part.qp_seconds;
}

}  // namespace

BaselineFit fit_svm(const BaselineProblem& problem) {
  BaselineFit fit{std::vector<double>(problem.set.linear_features().dimension(), 0.0), {}};
  const TimeLimit limit(problem.options.solve.seconds);
  const Dataset& data = problem.set.linear_features().data();
  const std::vector<float> classes = classes_of(data);
  for (float positive : classes) {
    MethodOptions options = problem.options;
    options.solve.seconds = limit.left();
    const std::array<double, 2> weights = side_weights(data, positive, problem.balanced);
    const BaselineFit one = solve_scores(
        {problem.set, problem.convention, options, problem.observer, problem.cutoff},
        [=](Labels labels) { return class_hinge(labels, positive, weights); }, Unit::document, "a weight",
        unit_bias(problem.set));
    axpy(static_cast<double>(positive), std::span<const double>(one.w), fit.w);
    add_report(one.report, fit.report);
    fit.constant_primal += one.constant_primal;
  }
  return fit;
}

BaselineFit fit_crammer_singer(const BaselineProblem& problem) {
  const TrainingSet& set = problem.set;
  const std::vector<float> classes = classes_of(set.linear_features().data());
  ClassRisk risk(set.linear_features(), classes, class_weights(set.linear_features().data(), classes, problem.balanced),
                 unit_bias(set));
  risk.set_trade_off(set.units().trade_off(problem.options.C, risk.num_blocks()));
  SolveResult result = solve(risk, problem.options.solve, problem.observer, {}, problem.options.compute);
  const std::size_t dimension = set.linear_features().dimension();
  BaselineFit fit{std::vector<double>(dimension, 0.0), set.units().objective(std::move(result.report))};
  for (std::size_t k = 0; k < classes.size(); ++k)
    axpy(static_cast<double>(classes[k]), std::span<const double>(result.w).subspan(k * (dimension + 1), dimension),
         fit.w);
  risk.forget_features();
  result = solve(risk, problem.options.solve, {}, {}, problem.options.compute);
  fit.constant_primal = set.units().objective(std::move(result.report)).primal;
  return fit;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Pointwise regression on labels centred within each query: squared loss (ridge) and epsilon-insensitive loss
// (support-vector regression).
#include "learning/baseline/method.h"
#include "learning/risk/ridge.h"

namespace dorm {
namespace {

constexpr double kTube = 0.1;  // of the labels, which are grades 0, 1, 2 ...

}  // namespace

// 1/2 |w|^2 + (C / 2n) sum of squared errors, features in unit scale, is ridge() at lambda = 1 / C.
BaselineFit fit_ridge(const BaselineProblem& problem) {
  const TimeLimit limit(problem.options.solve.seconds);
  return {ridge(problem.set.linear_features(), 1 / problem.options.C, problem.options.compute.threads,
                [&] { return limit.over(); }),
          {}};
}

BaselineFit fit_svr(const BaselineProblem& problem) {
  return solve_scores(
      problem, [](Labels labels) { return epsilon_insensitive(labels, kTube); }, Unit::document, "a weight");
}

}  // namespace dorm

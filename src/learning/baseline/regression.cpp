// SPDX-License-Identifier: Apache-2.0
// Pointwise regression on labels centred within each query: squared loss (ridge) and epsilon-insensitive loss
// (support-vector regression).
#include <numeric>
#include <span>
#include <vector>

#include "learning/baseline/method.h"
#include "learning/risk/ridge.h"

namespace dorm {
namespace {

constexpr double kTube = 0.1;  // of the labels, which are grades 0, 1, 2 ...

/// Of labels and scores, both less their mean within the query.
double squared_errors(const LinearFeatures& features, std::span<const double> w) {
  const Dataset& data = features.data();
  double sum = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Labels labels = data.query(q).labels;
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double error = static_cast<double>(labels[i]) - features.score(q, i, w);
      mean += error;
      squares += error * error;
    }
    sum += squares - mean * mean / static_cast<double>(labels.size());
  }
  return sum;
}

}  // namespace

// 1/2 |w|^2 + (C / 2n) sum of squared errors, features in unit scale, is ridge() at lambda = 1 / C. There is no solver
// to report on: the normal equations are solved directly.
BaselineFit fit_ridge(const BaselineProblem& problem) {
  const TimeLimit limit(problem.options.solve.seconds);
  const LinearFeatures& features = problem.set.linear_features();
  BaselineFit fit{ridge(features, 1 / problem.options.C, problem.options.compute.threads, [&] { return limit.over(); }),
                  {}};
  const double weight = problem.options.C / (2 * static_cast<double>(features.data().num_documents()));
  const std::vector<double> zero(fit.w.size(), 0.0);
  const double norm = std::inner_product(fit.w.begin(), fit.w.end(), fit.w.begin(), 0.0);
  fit.report.primal = norm / (2 * problem.set.squared_scale()) + weight * squared_errors(features, fit.w);
  fit.constant_primal = weight * squared_errors(features, zero);
  return fit;
}

BaselineFit fit_svr(const BaselineProblem& problem) {
  return solve_scores(
      problem, [](Labels labels) { return epsilon_insensitive(labels, kTube); }, Unit::document, "a weight");
}

}  // namespace dorm

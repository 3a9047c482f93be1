// SPDX-License-Identifier: Apache-2.0
// Support vector methods for measures of a whole list that know relevant documents and others: Precision@n and ROCArea
// (Joachims 2005), average precision (Yue et al. 2007).
#include "learning/baseline/method.h"

namespace dorm {
namespace {

constexpr const char* kNeededSplit = "both relevant and other documents";
constexpr std::size_t kDefaultCutoff = 10;

}  // namespace

BaselineFit fit_precision_svm(const BaselineProblem& problem) {
  const std::size_t n = problem.cutoff > 0 ? problem.cutoff : kDefaultCutoff;
  return solve_scores(
      problem, [&](Labels labels) { return precision_hinge(labels, n, problem.convention); }, Unit::query,
      "relevant and other documents, and more of them than the cutoff");
}

BaselineFit fit_roc_svm(const BaselineProblem& problem) {
  return solve_scores(
      problem, [&](Labels labels) { return roc_area(labels, problem.convention); }, Unit::query, kNeededSplit);
}

BaselineFit fit_ap_svm(const BaselineProblem& problem) {
  return solve_scores(
      problem, [&](Labels labels) { return average_precision_hinge(labels, problem.convention); }, Unit::query,
      kNeededSplit);
}

}  // namespace dorm

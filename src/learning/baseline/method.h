// SPDX-License-Identifier: Apache-2.0
// One function per baseline: scaled features in, weights and the report of the solver out.
#pragma once

#include <functional>
#include <vector>

#include "dorm/learning/baseline.h"
#include "learning/baseline/score_risk.h"
#include "learning/train/training_set.h"

namespace dorm {

struct BaselineFit {
  std::vector<double> w;
  SolveReport report;  // of the convex problem, if there is one, in the units of C; else primal is 0. No passes:
                       // solved directly
  double constant_primal = 0;  // of the best model without features, in the same units

  /// The share of the risk of a constant that the features explain; 0 where there is no convex problem.
  double explained_risk() const { return constant_primal > 0 ? 1 - report.primal / constant_primal : 0; }
};

struct BaselineProblem {
  const TrainingSet& set;
  Convention convention;
  const MethodOptions& options;
  const Observer& observer;
  std::size_t cutoff = 0;  // of the method's name, e.g. 10 of precision-svm@10
  bool balanced = false;   // classes count the same
};

BaselineFit fit_ridge(const BaselineProblem& problem);
BaselineFit fit_svr(const BaselineProblem& problem);
BaselineFit fit_svm(const BaselineProblem& problem);
BaselineFit fit_crammer_singer(const BaselineProblem& problem);
BaselineFit fit_ranksvm(const BaselineProblem& problem);
BaselineFit fit_ranksvm_pairs(const BaselineProblem& problem);
BaselineFit fit_svm_ir_qp(const BaselineProblem& problem);
BaselineFit fit_precision_svm(const BaselineProblem& problem);
BaselineFit fit_roc_svm(const BaselineProblem& problem);
BaselineFit fit_ap_svm(const BaselineProblem& problem);
BaselineFit fit_propsvm(const BaselineProblem& problem);
BaselineFit fit_prank(const BaselineProblem& problem);

/// Weight 1 or -1 on one feature, whichever ranks the training data better by options.measure.
Model single_feature(const Dataset& data, std::string_view feature, const MethodOptions& options);

/// The weights of Cao et al.: how much NDCG@10 a swap of two documents of these grades costs in an ideal ranking, on
/// average over swaps and then over the queries that have both grades.
PairWeights swap_costs(const Dataset& data, const Convention& convention);

/// Solves 1/2 |w|^2 + (C/m) sum over the m blocks, features in unit scale. Throws Error(bad_input) when there is no
/// block; `what` says what a block would have needed.
BaselineFit solve_scores(const BaselineProblem& problem, const ScoreRisk::Maker& make, Unit unit, const char* what,
                         double bias = 0);

/// By class, its weight in the loss: 1, or the documents over classes times its own where they are balanced.
std::vector<double> class_weights(const Dataset& data, std::span<const float> classes, bool balanced);

/// The labels that occur, rising. Throws Error(unsupported) beyond a few dozen.
std::vector<float> distinct_labels(const Dataset& data);

}  // namespace dorm

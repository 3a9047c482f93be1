// SPDX-License-Identifier: Apache-2.0
// Pairs of documents: RankSVM with the mean hinge over the pairs of each query, and SVM-IR-QP, in which a pair
// weighs as much as its swap costs. (The query weights of SVM-IR-QP, inverse to the number of pairs, are what the
// mean already does.)
#include <algorithm>

#include "learning/baseline/method.h"

namespace dorm {
namespace {

constexpr const char* kNeededPairs = "documents of different labels";
constexpr const char* kSwapMeasure = "ndcg@10";

/// Of one query: documents in the ideal order, and where each grade begins and ends in it.
struct GradeRuns {
  std::vector<std::size_t> grade, begin, end;
};

GradeRuns ideal_runs(Labels labels, const std::vector<float>& grades) {
  std::vector<float> sorted(labels.begin(), labels.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  GradeRuns runs;
  for (std::size_t p = 0; p < sorted.size(); ++p) {
    if (p > 0 && sorted[p] == sorted[p - 1]) {
      ++runs.end.back();
      continue;
    }
    runs.grade.push_back(
        static_cast<std::size_t>(std::lower_bound(grades.begin(), grades.end(), sorted[p]) - grades.begin()));
    runs.begin.push_back(p);
    runs.end.push_back(p + 1);
  }
  return runs;
}

}  // namespace

// A swap of documents at positions p and r costs (b_p - b_r)(a_p - a_r); its mean over two runs of positions needs only
// the mean discount of each.
PairWeights swap_costs(const Dataset& data, const Convention& convention) {
  PairWeights weights{distinct_labels(data), {}};
  const std::size_t grades = weights.grades.size();
  weights.weight.assign(grades * grades, 0.0);
  std::vector<double> queries(grades * grades, 0.0);
  const auto measure = make_trainable(kSwapMeasure, convention);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Labels labels = data.query(q).labels;
    const Factors factors = measure->factor(labels);
    const GradeRuns runs = ideal_runs(labels, weights.grades);
    std::vector<double> discount, gain;
    for (std::size_t r = 0; r < runs.grade.size(); ++r) {
      double sum = 0;
      for (std::size_t p = runs.begin[r]; p < runs.end[r]; ++p) sum += factors.a[p];
      discount.push_back(sum / static_cast<double>(runs.end[r] - runs.begin[r]));
      const auto document = std::find(labels.begin(), labels.end(), weights.grades[runs.grade[r]]);
      gain.push_back(factors.b[static_cast<std::size_t>(document - labels.begin())]);
    }
    for (std::size_t better = 0; better < runs.grade.size(); ++better)
      for (std::size_t worse = better + 1; worse < runs.grade.size(); ++worse) {
        const std::size_t pair = runs.grade[better] * grades + runs.grade[worse];
        weights.weight[pair] += (gain[better] - gain[worse]) * (discount[better] - discount[worse]);
        queries[pair] += 1;
      }
  }
  for (std::size_t pair = 0; pair < queries.size(); ++pair)
    if (queries[pair] > 0) weights.weight[pair] /= queries[pair];
  return weights;
}

BaselineFit fit_ranksvm(const BaselineProblem& problem) {
  return solve_scores(problem, pairwise_mean, Unit::query, kNeededPairs);
}

BaselineFit fit_propsvm(const BaselineProblem& problem) {
  return solve_scores(problem, clicked_rank, Unit::query, "a label above 0 and another document");
}

BaselineFit fit_svm_ir_qp(const BaselineProblem& problem) {
  PairWeights weights = swap_costs(problem.set.linear_features().data(), problem.convention);
  const double largest = *std::max_element(weights.weight.begin(), weights.weight.end());
  for (double& weight : weights.weight) weight /= largest > 0 ? largest : 1.0;
  return solve_scores(
      problem, [&](Labels labels) { return pairwise_weighted(labels, weights); }, Unit::query, kNeededPairs);
}

}  // namespace dorm

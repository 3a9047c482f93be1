// SPDX-License-Identifier: Apache-2.0
// Losses that add up over pairs of documents, by counting. See risk/pairwise_hinge.cpp for the sweep; with weights the
// counts are kept by grade.
#include <algorithm>

#include "learning/baseline/score_loss.h"

namespace dorm {
namespace {

class PairwiseMean final : public ScoreLoss {
 public:
  explicit PairwiseMean(PairwiseQuery query) : query_(std::move(query)) {}

  double linearize(std::span<const double> scores, std::span<double> coefficients,
                   LossWorkspace& workspace) const override {
    return pairwise_hinge(query_, scores, coefficients, workspace.pairs);
  }

 private:
  PairwiseQuery query_;
};

class PairwiseWeighted final : public ScoreLoss {
 public:
  PairwiseWeighted(Labels labels, const PairWeights& weights)
      : weights_(weights), pairs_(prepare_pairwise(labels).pairs) {
    for (float label : labels)
      grade_.push_back(static_cast<std::uint32_t>(
          std::lower_bound(weights.grades.begin(), weights.grades.end(), label) - weights.grades.begin()));
  }

  double linearize(std::span<const double> scores, std::span<double> coefficients,
                   LossWorkspace& workspace) const override {
    const std::size_t l = scores.size(), grades = weights_.grades.size();
    std::vector<std::uint32_t>& order = workspace.order;
    std::vector<std::uint32_t>& counts = workspace.counts;
    order.resize(l);
    sort_descending(scores, order, workspace.sort);
    double offset = 0;
    counts.assign(grades, 0);
    for (std::size_t p = 0, entered = 0; p < l; ++p) {
      const std::uint32_t i = order[p];
      while (entered < l && scores[order[entered]] > scores[i] - 1) ++counts[grade_[order[entered++]]];
      double violated = 0;
      for (std::size_t worse = 0; worse < grade_[i]; ++worse) violated += weights_.at(grade_[i], worse) * counts[worse];
      coefficients[i] = violated;
      offset += violated;
    }
    counts.assign(grades, 0);
    for (std::size_t p = l, entered = l; p-- > 0;) {
      const std::uint32_t k = order[p];
      while (entered > 0 && scores[k] > scores[order[entered - 1]] - 1) ++counts[grade_[order[--entered]]];
      for (std::size_t better = grade_[k] + 1; better < grades; ++better)
        coefficients[k] -= weights_.at(better, grade_[k]) * counts[better];
    }
    for (double& delta : coefficients) delta /= pairs_;
    return offset / pairs_;
  }

 private:
  const PairWeights& weights_;
  std::vector<std::uint32_t> grade_;
  double pairs_;
};

/// By falling score, the documents k with g_k > g_i - 1 are a beginning of the order for every i, and the i with g_i <
/// g_k + 1 are an end of it for every k.
class ClickedRank final : public ScoreLoss {
 public:
  explicit ClickedRank(Labels labels) {
    for (const float label : labels) weight_.push_back(std::max(0.0, static_cast<double>(label)));
  }

  double linearize(std::span<const double> scores, std::span<double> coefficients,
                   LossWorkspace& workspace) const override {
    const std::size_t l = scores.size();
    std::vector<std::uint32_t>& order = workspace.order;
    order.resize(l);
    sort_descending(scores, order, workspace.sort);
    double offset = 0;
    for (std::size_t p = 0, entered = 0; p < l; ++p) {
      const std::uint32_t i = order[p];
      while (entered < l && (entered <= p || scores[order[entered]] > scores[i] - 1)) ++entered;
      coefficients[i] = weight_[i] * static_cast<double>(entered - 1);  // not i itself
      offset += coefficients[i];
    }
    double weight = 0;
    for (std::size_t p = l, entered = l; p-- > 0;) {
      const std::uint32_t k = order[p];
      while (entered > 0 && (entered > p || scores[k] > scores[order[entered - 1]] - 1))
        weight += weight_[order[--entered]];
      coefficients[k] -= weight - weight_[k];
    }
    return offset;
  }

 private:
  std::vector<double> weight_;
};

}  // namespace

ScoreLossPtr clicked_rank(Labels labels) {
  const auto [low, high] = std::minmax_element(labels.begin(), labels.end());
  if (labels.empty() || std::max(*low, 0.0f) == std::max(*high, 0.0f)) return nullptr;
  return std::make_unique<ClickedRank>(labels);
}

ScoreLossPtr pairwise_mean(Labels labels) {
  PairwiseQuery query = prepare_pairwise(labels);
  if (query.pairs == 0) return nullptr;
  return std::make_unique<PairwiseMean>(std::move(query));
}

ScoreLossPtr roc_area(Labels labels, const Convention& convention) {
  const Convention::Relevance is_relevant = convention.relevance(labels);
  std::vector<float> relevant;
  for (float label : labels) relevant.push_back(is_relevant(label) ? 1.0f : 0.0f);
  return pairwise_mean(relevant);
}

ScoreLossPtr pairwise_weighted(Labels labels, const PairWeights& weights) {
  if (prepare_pairwise(labels).pairs == 0) return nullptr;
  return std::make_unique<PairwiseWeighted>(labels, weights);
}

}  // namespace dorm

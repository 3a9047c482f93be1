// SPDX-License-Identifier: Apache-2.0
// A pair (i better than k) is violated when g_k > g_i - 1. In score order the documents with g > g_i - 1 are a suffix
// whose start moves monotonically with i, so a Fenwick tree over label levels counts, for each i, the violating worse
// documents; a second sweep with the signs turned counts, for each k, the violating better ones.
#include "learning/risk/pairwise_hinge.h"

#include <algorithm>
#include <numeric>

namespace dorm {
namespace {

// Counts by level; prefix(v) = how many of level < v.
class Counts {
 public:
  Counts(std::vector<std::uint32_t>& tree, std::uint32_t levels) : tree_(tree) { tree_.assign(levels + 1, 0); }
  void add(std::uint32_t level) {
    for (std::size_t i = level + 1; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
    ++total_;
  }
  std::uint32_t below(std::uint32_t level) const {
    std::uint32_t sum = 0;
    for (std::size_t i = level; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }
  std::uint32_t above(std::uint32_t level) const { return total_ - below(level + 1); }

 private:
  std::vector<std::uint32_t>& tree_;
  std::uint32_t total_ = 0;
};

}  // namespace

PairwiseQuery prepare_pairwise(std::span<const float> labels) {
  PairwiseQuery query;
  std::vector<float> distinct(labels.begin(), labels.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  query.levels = static_cast<std::uint32_t>(distinct.size());
  std::vector<double> count(distinct.size(), 0);
  for (float label : labels) {
    const auto level = std::lower_bound(distinct.begin(), distinct.end(), label) - distinct.begin();
    query.level.push_back(static_cast<std::uint32_t>(level));
    count[static_cast<std::size_t>(level)] += 1;
  }
  double smaller = 0;
  for (double n : count) {
    query.pairs += smaller * n;
    smaller += n;
  }
  return query;
}

double pairwise_hinge(const PairwiseQuery& query, std::span<const double> scores, std::span<double> coefficients,
                      PairwiseWorkspace& workspace) {
  const std::size_t l = scores.size();
  std::vector<std::uint32_t>& order = workspace.order;
  order.resize(l);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t k) {
    return scores[i] > scores[k] || (scores[i] == scores[k] && i < k);
  });

  double violated = 0;
  Counts worse(workspace.tree, query.levels);
  for (std::size_t p = 0, entered = 0; p < l; ++p) {  // by falling score: ever more documents lie above g_i - 1
    const std::uint32_t i = order[p];
    while (entered < l && scores[order[entered]] > scores[i] - 1) worse.add(query.level[order[entered++]]);
    const double count = worse.below(query.level[i]);
    coefficients[i] = count;
    violated += count;
  }
  Counts better(workspace.tree, query.levels);
  for (std::size_t p = l, entered = l; p-- > 0;) {  // by rising score: ever more documents lie below g_k + 1
    const std::uint32_t k = order[p];
    while (entered > 0 && scores[k] > scores[order[entered - 1]] - 1) better.add(query.level[order[--entered]]);
    coefficients[k] -= better.above(query.level[k]);
  }
  for (double& delta : coefficients) delta /= query.pairs;
  return violated / query.pairs;
}

}  // namespace dorm

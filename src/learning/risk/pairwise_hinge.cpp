// SPDX-License-Identifier: Apache-2.0
// A pair (i better than k) is violated when g_k > g_i - 1. In score order the documents with g > g_i - 1 are a suffix
// whose start moves monotonically with i, so a Fenwick tree over label levels counts, for each i, the violating worse
// documents; a second sweep with the signs turned counts, for each k, the violating better ones. Where pairs weigh the
// difference of their gains, a second tree sums the gains.
#include "learning/risk/pairwise_hinge.h"

#include <algorithm>
#include <numeric>
#include <optional>

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

// The same for sums of gains.
class Sums {
 public:
  Sums(std::vector<double>& tree, std::uint32_t levels) : tree_(tree) { tree_.assign(levels + 1, 0.0); }
  void add(std::uint32_t level, double gain) {
    for (std::size_t i = level + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += gain;
    total_ += gain;
  }
  double below(std::uint32_t level) const {
    double sum = 0;
    for (std::size_t i = level; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }
  double above(std::uint32_t level) const { return total_ - below(level + 1); }

 private:
  std::vector<double>& tree_;
  double total_ = 0;
};

/// Documents that have been swept over: how many lie below or above a level, and by how much their gains differ.
class Swept {
 public:
  Swept(const PairwiseQuery& query, PairwiseWorkspace& workspace)
      : query_(query), counts_(workspace.tree, query.levels) {
    if (!query.gain.empty()) sums_.emplace(workspace.sums, query.levels);
  }
  void add(std::uint32_t document) {
    counts_.add(query_.level[document]);
    if (sums_) sums_->add(query_.level[document], query_.gain[document]);
  }
  double worse_than(std::uint32_t document) const {
    const double count = counts_.below(query_.level[document]);
    return sums_ ? query_.gain[document] * count - sums_->below(query_.level[document]) : count;
  }
  double better_than(std::uint32_t document) const {
    const double count = counts_.above(query_.level[document]);
    return sums_ ? sums_->above(query_.level[document]) - query_.gain[document] * count : count;
  }

 private:
  const PairwiseQuery& query_;
  Counts counts_;
  std::optional<Sums> sums_;
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

PairwiseQuery prepare_pairwise(std::span<const float> labels, std::span<const double> gains) {
  PairwiseQuery query = prepare_pairwise(labels);
  query.gain.assign(gains.begin(), gains.end());
  std::vector<double> sorted = query.gain;  // a pair of equal labels weighs nothing
  std::sort(sorted.begin(), sorted.end());
  query.pairs = 0;
  double smaller = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    query.pairs += static_cast<double>(i) * sorted[i] - smaller;
    smaller += sorted[i];
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
  Swept worse(query, workspace);
  for (std::size_t p = 0, entered = 0; p < l; ++p) {  // by falling score: ever more documents lie above g_i - 1
    const std::uint32_t i = order[p];
    while (entered < l && scores[order[entered]] > scores[i] - 1) worse.add(order[entered++]);
    coefficients[i] = worse.worse_than(i);
    violated += coefficients[i];
  }
  Swept better(query, workspace);
  for (std::size_t p = l, entered = l; p-- > 0;) {  // by rising score: ever more documents lie below g_k + 1
    const std::uint32_t k = order[p];
    while (entered > 0 && scores[k] > scores[order[entered - 1]] - 1) better.add(order[--entered]);
    coefficients[k] -= better.better_than(k);
  }
  for (double& delta : coefficients) delta /= query.pairs;
  return violated / query.pairs;
}

}  // namespace dorm

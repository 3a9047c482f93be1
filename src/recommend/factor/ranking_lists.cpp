// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/ranking_lists.h"

#include <algorithm>

#include "base/vector_ops.h"
#include "dorm/error.h"

namespace dorm {

void score_items(std::span<const std::uint32_t> items, std::span<const double> user_row,
                 const FactorMatrix& item_factors, std::span<const double> offsets, std::span<double> scores) {
  for (std::size_t i = 0; i < items.size(); ++i)
    scores[i] = offsets[items[i]] + dot(user_row, item_factors.row(items[i]));
}

RankingLists::RankingLists(const Ratings& ratings, const FactorizeOptions& options, ThreadPool& pool)
    : ratings_(ratings), bound_(parse_bound(options.bound)) {
  const auto measure = make_trainable(options.measure, make_convention(options.convention));
  const Decay decay(options.decay);
  for (std::uint32_t user = 0; user < ratings.num_users(); ++user) {
    const RatingRow row = ratings.of_user(user);
    if (row.size() < 2) continue;
    Factors factors = measure->factor(row.value);
    const auto [smallest, largest] = std::minmax_element(factors.b.begin(), factors.b.end());
    if (*smallest == *largest || factors.a.front() == factors.a.back()) continue;
    if (factors.kind == Factors::Kind::first)  // gains must stay 0 and 1
      for (double& a : factors.a) a *= options.margin;
    else
      for (double& b : factors.b) b *= options.margin;
    lists_.push_back({user, prepare(factors, decay, tables_), {}});
  }
  if (depends_on_scores(bound_)) return;
  std::vector<ListWorkspace> workspaces(pool.size());
  pool.run(lists_.size(), [&](std::size_t l, std::size_t worker) {
    std::vector<double> change;
    set_reference(l, {}, workspaces[worker], change);
  });
}

void RankingLists::set_reference(std::size_t l, std::span<const double> scores, ListWorkspace& workspace,
                                 std::vector<double>& change) {
  List& list = lists_[l];
  change.clear();
  if (!depends_on_scores(bound_) && !list.reference.empty()) return;
  make_reference(bound_, list.prepared, row(l).value, scores, workspace.reference);
  const std::vector<double>& fresh = workspace.reference.coefficient;
  if (!list.reference.empty() && fresh != list.reference) {
    change.resize(fresh.size());
    for (std::size_t i = 0; i < fresh.size(); ++i) change[i] = fresh[i] - list.reference[i];
  }
  list.reference = fresh;
}

void RankingLists::separate(std::size_t l, std::span<const double> scores, ScorePlane& out,
                            ListWorkspace& workspace) const {
  const List& list = lists_[l];
  dorm::separate(list.prepared, scores, workspace.separation, workspace.oracle);
  out.loss = out.value = workspace.separation.loss;
  out.delta.resize(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out.delta[i] = list.reference[i] - workspace.separation.coefficient[i];
    out.value -= out.delta[i] * scores[i];
  }
}

}  // namespace dorm

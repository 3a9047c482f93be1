// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/ranking_lists.h"

#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "dorm/ranking/list_problem.h"

namespace dorm {

void score_items(std::span<const std::uint32_t> items, std::span<const double> user_row,
                 const FactorMatrix& item_factors, std::span<const double> offsets, std::span<double> scores) {
  for (std::size_t i = 0; i < items.size(); ++i)
    scores[i] = offsets[items[i]] + dot(user_row, item_factors.row(items[i]));
}

RankingLists::RankingLists(const Ratings& ratings, const FactorizeOptions& options, ThreadPool& pool,
                           const RatingGrades& grades)
    : ratings_(ratings), bound_(parse_bound(options.bound)) {
  const bool stretched = grades.apply_to(options.measure, options.convention);
  std::vector<float> labels;
  const auto measure = make_trainable(options.measure, make_convention(options.convention));
  const Decay decay(options.decay);
  for (std::uint32_t user = 0; user < ratings.num_users(); ++user) {
    const RatingRow row = ratings.of_user(user);
    if (row.size() < 2) continue;
    labels.assign(row.value.begin(), row.value.end());
    if (stretched)
      for (float& label : labels) label = grades.label(label);
    Factors factors = measure->factor(labels);
    if (factors.kind == Factors::Kind::first)  // gains must stay 0 and 1
      for (double& a : factors.a) a *= options.margin;
    else
      for (double& b : factors.b) b *= options.margin;
    if (auto problem = make_list_problem(factors, decay, tables_)) lists_.push_back({user, std::move(*problem)});
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
  ListProblem& list = lists_[l].problem;
  const bool first = list.reference().empty();
  change.assign(list.reference().begin(), list.reference().end());
  if (first || depends_on_scores(bound_)) {
    const bool changed = list.set_reference(bound_, row(l).value, scores, workspace);
    if (changed && !first) {
      for (std::size_t i = 0; i < change.size(); ++i) change[i] = list.reference()[i] - change[i];
      return;
    }
  }
  change.clear();
}

}  // namespace dorm

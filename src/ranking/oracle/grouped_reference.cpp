// SPDX-License-Identifier: Apache-2.0
// Reference lists within limits on groups. Filling a list by label, by gain or by score, passing over groups that are
// full, maximises every prefix; so most references are one sort.
#include "ranking/oracle/grouped_reference.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "dorm/ranking/group_lists.h"

namespace dorm::oracle {
namespace {

template <class Before>
Ranking list_by(const PreparedQuery& query, Before before) {
  Ranking order(query.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), before);
  return admit(order, query.groups, query.shown);
}

Ranking list_by_score(const PreparedQuery& query, std::span<const double> scores) {
  return list_by(query, [&](std::uint32_t x, std::uint32_t y) { return scores[x] > scores[y]; });
}

void describe(const PreparedQuery& query, const Ranking& list, Reference& out) {
  const PositionTables& t = *query.tables;
  out.coefficient.assign(query.size(), 0.0);
  double sum = 0, first = 0;
  for (std::size_t j = list.size(); j-- > 0;) {
    out.coefficient[list[j]] = t.c[j];
    sum += t.a[j] * query.b[list[j]];
    first = query.b[list[j]] > 0 ? t.a[j] : first;
  }
  out.loss = query.ideal - (query.kind == Factors::Kind::first ? first : sum);
}

double score_of(const PreparedQuery& query, const Ranking& list, std::span<const double> scores) {
  double sum = 0;
  for (std::size_t j = 0; j < list.size(); ++j) sum += query.tables->c[j] * scores[list[j]];
  return sum;
}

// The list by score that shows document `hit` among its first `plateau` positions.
Ranking list_with(const PreparedQuery& query, std::span<const double> scores, std::uint32_t hit, std::size_t plateau) {
  GroupLimits rest = query.groups;
  --rest.limit[rest.group_of[hit]];
  Ranking order(query.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return scores[x] > scores[y]; });
  order.erase(std::find(order.begin(), order.end(), hit));
  Ranking list = query.shown == 1 ? Ranking{} : admit(order, rest, query.shown - 1);
  const auto natural = std::find_if(list.begin(), list.end(), [&](std::uint32_t i) {
    return scores[i] < scores[hit] || (scores[i] == scores[hit] && i > hit);
  });
  const auto place = std::min(natural - list.begin(), static_cast<std::ptrdiff_t>(plateau) - 1);
  list.insert(list.begin() + place, hit);
  return list;
}

// No loss for Kind::first: a relevant document is on the first plateau of a. Every relevant document is tried.
Ranking best_first_hit(const PreparedQuery& query, std::span<const double> scores) {
  Ranking best = list_by_score(query, scores);
  if (query.ideal == 0) return best;
  const std::span<const double> a(query.tables->a.data(), query.shown);
  const auto plateau =
      static_cast<std::size_t>(std::upper_bound(a.begin(), a.end(), a[0], std::greater<>()) - a.begin());
  const auto relevant = [&](std::uint32_t i) { return query.b[i] > 0; };
  const auto end = best.begin() + static_cast<std::ptrdiff_t>(plateau);
  if (std::any_of(best.begin(), end, relevant)) return best;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < query.size(); ++i) {
    if (!relevant(i) || query.groups.limit[query.groups.group_of[i]] == 0) continue;
    Ranking list = list_with(query, scores, i, plateau);
    const double score = score_of(query, list, scores);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(list);
  }
  return best;
}

}  // namespace

void grouped_reference_given(const PreparedQuery& query, Labels labels, Reference& out) {
  describe(query, list_by(query, [&](auto x, auto y) { return labels[x] > labels[y]; }), out);
}

// The mean over random choices between equal labels: first which documents of a group are admitted, then the order of
// the admitted ones. Of t documents of one label in a group k are admitted, over all groups T. Each of the t stands at
// each of those T positions with probability k / (t T).
void grouped_reference_average(const PreparedQuery& query, Labels labels, Reference& out) {
  const auto by_label = [&](auto x, auto y) { return labels[x] > labels[y]; };
  describe(query, list_by(query, by_label), out);
  Ranking order(query.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), by_label);
  const Ranking all = admit(order, query.groups);
  using Class = std::pair<float, std::uint32_t>;       // label, group
  std::map<Class, std::pair<double, double>> members;  // how many, and how many of them are shown
  for (std::uint32_t i : order) ++members[{labels[i], query.groups.group_of[i]}].first;
  for (std::uint32_t i : all) ++members[{labels[i], query.groups.group_of[i]}].second;
  std::map<float, double> mean_decay;
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    double sum = 0;
    for (; last < all.size() && labels[all[last]] == labels[all[first]]; ++last)
      sum += last < query.shown ? query.tables->c[last] : 0;
    mean_decay[labels[all[first]]] = sum / static_cast<double>(last - first);
  }
  for (std::uint32_t i = 0; i < query.size(); ++i) {
    const auto [count, taken] = members[{labels[i], query.groups.group_of[i]}];
    out.coefficient[i] = taken == 0 ? 0 : mean_decay[labels[i]] * taken / count;
  }
}

// No loss: every prefix that ends with a plateau of a has the largest gain it can have. The gains that stand in
// each plateau are then given; of equal gains the higher scores are admitted, and come first; inside a plateau
// any order is free.
void grouped_reference_best(const PreparedQuery& query, std::span<const double> scores, Reference& out) {
  if (query.kind == Factors::Kind::first) return describe(query, best_first_hit(query, scores), out);
  const auto by_score = [&](std::uint32_t x, std::uint32_t y) {
    return scores[x] > scores[y] || (scores[x] == scores[y] && x < y);
  };
  Ranking list = list_by(query, [&](std::uint32_t x, std::uint32_t y) {
    return query.b[x] != query.b[y] ? query.b[x] > query.b[y] : by_score(x, y);
  });
  const std::vector<double>& a = query.tables->a;
  for (std::size_t first = 0, last = 0; first < list.size(); first = last) {
    while (last < list.size() && a[last] == a[first]) ++last;
    std::sort(list.begin() + static_cast<std::ptrdiff_t>(first), list.begin() + static_cast<std::ptrdiff_t>(last),
              by_score);
  }
  describe(query, list, out);
}

void grouped_reference_predicted(const PreparedQuery& query, std::span<const double> scores, Reference& out) {
  describe(query, list_by_score(query, scores), out);
}

}  // namespace dorm::oracle

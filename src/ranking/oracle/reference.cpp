// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/vector/sort.h"
#include "dorm/error.h"
#include "dorm/oracle.h"
#include "ranking/oracle/grouped_reference.h"

namespace dorm {
namespace {

template <class T>
void validate(const PreparedQuery& query, std::span<const T> values, std::string_view what) {
  if (values.size() != query.size()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{} {}s for a query of {} documents", values.size(), what, query.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("{} of document {} is {}; expected a finite number", what, i, values[i]));
    }
  }
}

template <class Before>
Ranking ranking_by(std::size_t l, Before before) {
  Ranking ranking(l);
  std::iota(ranking.begin(), ranking.end(), 0u);
  std::stable_sort(ranking.begin(), ranking.end(), before);
  return ranking;
}

Ranking ranking_by_score(std::span<const double> scores) {
  Ranking ranking(scores.size());
  SortWorkspace work;
  sort_descending(scores, ranking, work);
  return ranking;
}

// Descending gain; documents of equal gain keep their order.
Ranking regrouped_by_gain(const PreparedQuery& query, Ranking order) {
  if (query.gain_of.empty()) {
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return query.b[x] > query.b[y]; });
    return order;
  }
  std::vector<std::uint32_t> next(query.gains.size());  // where the next of each gain goes
  for (const std::uint8_t k : query.gain_of) ++next[k];
  std::uint32_t first = 0;
  for (std::size_t k = query.gains.size(); k-- > 0;) first += std::exchange(next[k], first);
  Ranking ranking(order.size());
  for (const std::uint32_t i : order) ranking[next[query.gain_of[i]]++] = i;
  return ranking;
}

void describe(const PreparedQuery& query, const Ranking& ranking, Reference& out) {
  const PositionTables& t = *query.tables;
  out.coefficient.resize(ranking.size());
  double sum = 0, first = 0;
  for (std::size_t j = ranking.size(); j-- > 0;) {
    const std::uint32_t i = ranking[j];
    out.coefficient[i] = t.c[j];
    sum += t.a[j] * query.b[i];
    first = query.b[i] > 0 ? t.a[j] : first;
  }
  out.loss = query.ideal - (query.kind == Factors::Kind::first ? first : sum);
}

// No loss: a relevant document somewhere on the first plateau of a.
void lift_first_relevant(const PreparedQuery& query, Ranking& ranking) {
  const std::span<const double> a(query.tables->a.data(), query.size());
  const auto plateau = std::upper_bound(a.begin(), a.end(), a[0], std::greater<>()) - a.begin();
  const auto hit = std::find_if(ranking.begin(), ranking.end(), [&](std::uint32_t i) { return query.b[i] > 0; });
  if (hit == ranking.end() || hit - ranking.begin() < plateau) return;
  std::rotate(ranking.begin() + (plateau - 1), hit, hit + 1);
}

}  // namespace

void reference_given(const PreparedQuery& query, Labels labels, Reference& out) {
  validate(query, labels, "label");
  if (!query.groups.empty()) return oracle::grouped_reference_given(query, labels, out);
  describe(query, ranking_by(labels.size(), [&](auto x, auto y) { return labels[x] > labels[y]; }), out);
}

void reference_average(const PreparedQuery& query, Labels labels, Reference& out) {
  validate(query, labels, "label");
  if (!query.groups.empty()) return oracle::grouped_reference_average(query, labels, out);
  const Ranking ranking = ranking_by(labels.size(), [&](auto x, auto y) { return labels[x] > labels[y]; });
  describe(query, ranking, out);
  for (std::size_t first = 0, last = 0; first < ranking.size(); first = last) {
    double sum = 0;
    for (; last < ranking.size() && labels[ranking[last]] == labels[ranking[first]]; ++last) {
      sum += out.coefficient[ranking[last]];
    }
    const double mean = sum / static_cast<double>(last - first);
    for (std::size_t j = first; j < last; ++j) out.coefficient[ranking[j]] = mean;
  }
}

// A ranking has no loss if and only if gains never increase from one plateau of a to the next. Of equal gains the
// higher scores come first (swapping two of them never lowers the score), and inside a plateau any order is free: so
// sort by gain, then score; cut into plateaus; deal the documents out to theirs by score.
void reference_best(const PreparedQuery& query, std::span<const double> scores, Reference& out) {
  validate(query, scores, "score");
  if (!query.groups.empty()) return oracle::grouped_reference_best(query, scores, out);
  const Ranking by_score = ranking_by_score(scores);
  Ranking ranking = by_score;
  if (query.kind == Factors::Kind::first) {
    lift_first_relevant(query, ranking);
    return describe(query, ranking, out);
  }
  const Ranking by_gain = regrouped_by_gain(query, by_score);
  const std::vector<double>& a = query.tables->a;
  std::vector<std::uint32_t> plateau(query.size()), next(query.size());  // by document; by first position
  std::uint32_t first = 0;
  for (std::uint32_t j = 0; j < by_gain.size(); ++j) {
    if (a[j] != a[first]) first = j;
    plateau[by_gain[j]] = next[first] = first;
  }
  for (const std::uint32_t i : by_score) ranking[next[plateau[i]]++] = i;
  describe(query, ranking, out);
}

void reference_predicted(const PreparedQuery& query, std::span<const double> scores, Reference& out) {
  validate(query, scores, "score");
  if (!query.groups.empty()) return oracle::grouped_reference_predicted(query, scores, out);
  describe(query, ranking_by_score(scores), out);
}

}  // namespace dorm

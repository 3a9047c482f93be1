// SPDX-License-Identifier: Apache-2.0
#include "dorm/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/error.h"
#include "oracle/grouped_reference.h"

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
  const auto hit =
      std::find_if(ranking.begin(), ranking.end(), [&](std::uint32_t i) { return query.b[i] > 0; });
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

// A ranking has no loss if and only if gains never increase from one plateau of a to the next. Of equal gains
// the higher scores come first (swapping two of them never lowers the score), and inside a plateau any order
// is free: so sort by gain, then score; cut into plateaus; sort each by score.
void reference_best(const PreparedQuery& query, std::span<const double> scores, Reference& out) {
  validate(query, scores, "score");
  if (!query.groups.empty()) return oracle::grouped_reference_best(query, scores, out);
  const auto by_score = [&](std::uint32_t x, std::uint32_t y) {
    return scores[x] > scores[y] || (scores[x] == scores[y] && x < y);
  };
  if (query.kind == Factors::Kind::first) {
    Ranking ranking = ranking_by(query.size(), by_score);
    lift_first_relevant(query, ranking);
    return describe(query, ranking, out);
  }
  Ranking ranking = ranking_by(query.size(), [&](std::uint32_t x, std::uint32_t y) {
    return query.b[x] != query.b[y] ? query.b[x] > query.b[y] : by_score(x, y);
  });
  const std::span<const double> a(query.tables->a.data(), query.size());
  for (std::size_t first = 0, last = 0; first < a.size(); first = last) {
    while (last < a.size() && a[last] == a[first]) ++last;
    std::sort(ranking.begin() + static_cast<std::ptrdiff_t>(first),
              ranking.begin() + static_cast<std::ptrdiff_t>(last), by_score);
  }
  describe(query, ranking, out);
}

void reference_predicted(const PreparedQuery& query, std::span<const double> scores, Reference& out) {
  validate(query, scores, "score");
  if (!query.groups.empty()) return oracle::grouped_reference_predicted(query, scores, out);
  describe(query, ranking_by(scores.size(), [&](auto x, auto y) { return scores[x] > scores[y]; }), out);
}

}  // namespace dorm

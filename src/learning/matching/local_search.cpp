// SPDX-License-Identifier: Apache-2.0
#include "learning/matching/local_search.h"

#include <algorithm>

namespace dorm {
namespace {

constexpr double kGain = 1e-12;  // relative: less is rounding
constexpr std::size_t kMostSweeps = 100;

class Exchanges {
 public:
  Exchanges(const PairShape& shape, const PairScores& scores, Match& match)
      : shape_(shape), scores_(scores), match_(match) {}

  bool sweep() {
    bool better = false;
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      for (std::size_t k = i + 1; k < shape_.rows; ++k) better |= exchange(i, k);
      better |= move(i);
    }
    return better;
  }

 private:
  /// What node i brings where it is, without its edges to `other`.
  double brings(std::size_t i, std::size_t other) const {
    const std::uint32_t j = match_[i];
    if (j == kUnmatched) return 0;
    double value = scores_.node[i * shape_.columns + j];
    for (const Incidence& at : shape_.at_row.at(i)) {
      const std::uint32_t l = match_[at.other];
      if (l == kUnmatched || at.other == other) continue;
      const std::uint32_t image = at.end == 0 ? shape_.column_edge(j, l) : shape_.column_edge(l, j);
      if (image != kUnmatched) value += scores_.edge[at.edge * shape_.column_edges.size() + image];
    }
    return value;
  }
  double bring(std::size_t i, std::size_t k) const { return brings(i, shape_.rows) + brings(k, i); }

  static bool gains(double after, double before) { return after > before + kGain * (1 + std::abs(before)); }

  bool exchange(std::size_t i, std::size_t k) {
    if (match_[i] == match_[k]) return false;  // neither has a partner
    const double before = bring(i, k);
    std::swap(match_[i], match_[k]);
    if (gains(bring(i, k), before)) return true;
    std::swap(match_[i], match_[k]);
    return false;
  }

  bool move(std::size_t i) {
    if (shape_.rows >= shape_.columns && !shape_.partial) return false;  // no column is free for a row that has one
    std::vector<bool> taken(shape_.columns, false);
    for (const std::uint32_t column : match_)
      if (column != kUnmatched) taken[column] = true;
    double before = brings(i, shape_.rows);
    bool better = false;
    const std::uint32_t old = match_[i];
    std::uint32_t best = old;
    const auto attempt = [&](std::uint32_t column) {
      match_[i] = column;
      const double after = brings(i, shape_.rows);
      if (!gains(after, before)) return;
      before = after;
      best = column;
      better = true;
    };
    for (std::uint32_t column = 0; column < shape_.columns; ++column)
      if (!taken[column]) attempt(column);
    if (shape_.partial && old != kUnmatched) attempt(kUnmatched);
    match_[i] = best;
    return better;
  }

  const PairShape& shape_;
  const PairScores& scores_;
  Match& match_;
};

void keep_better(const PairShape& shape, const PairScores& scores, Match match, BoundedMatch& known) {
  improve(shape, scores, match);
  const double value = match_value(shape, scores, match);
  if (!known.match.empty() && value <= known.value) return;
  known.match = std::move(match);
  known.value = value;
}

}  // namespace

void improve(const PairShape& shape, const PairScores& scores, Match& match) {
  Exchanges exchanges(shape, scores, match);
  for (std::size_t sweep = 0; sweep < kMostSweeps && exchanges.sweep(); ++sweep) {
  }
}

BoundedMatch best_match(const PairShape& shape, const PairScores& scores, std::size_t steps) {
  NodeMatch nodes = best_by_nodes(shape, scores.node);
  if (shape.edge_cells() == 0) return {std::move(nodes.match), nodes.value, nodes.value, {}};
  BoundedMatch known;
  const RelaxedMatch relaxed = best_relaxed(shape, scores, {});
  known.bound = relaxed.value;
  keep_better(shape, scores, frank_wolfe(shape, scores), known);
  keep_better(shape, scores, frank_wolfe(shape, scores, nodes.match), known);
  keep_better(shape, scores, std::move(nodes.match), known);
  keep_better(shape, scores, relaxed.match, known);
  tighten(shape, scores, steps, known);
  return known;
}

}  // namespace dorm

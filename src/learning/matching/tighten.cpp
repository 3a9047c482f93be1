// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "learning/matching/local_search.h"
#include "learning/matching/relaxation.h"

namespace dorm {
namespace {

constexpr double kProven = 1e-9;        // relative difference of bound and value that is none
constexpr std::size_t kPatience = 4;    // steps without a lower bound after which steps are halved
constexpr double kShortestStep = 0.01;  // of Polyak's

/// Where the two ends of an edge disagree: +1 where only the first sends it there, -1 where only the second does.
struct Disagreement {
  std::size_t cell;  // of straight, or behind them of crosswise
  double sign;
};

std::vector<Disagreement> disagreements(const PairShape& shape, const RelaxedMatch& relaxed) {
  std::vector<Disagreement> signs;
  for (const EndPair& ends : relaxed.ends) {
    const std::size_t cell = ends.row_edge * shape.column_edges.size() + ends.column_edge;
    signs.push_back({ends.row_end == ends.column_end ? cell : cell + shape.edge_cells(), ends.row_end == 0 ? 1. : -1.});
  }
  std::sort(signs.begin(), signs.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  std::vector<Disagreement> apart;
  for (std::size_t k = 0; k < signs.size(); ++k) {
    if (k + 1 < signs.size() && signs[k + 1].cell == signs[k].cell)
      ++k;  // both ends
    else
      apart.push_back(signs[k]);
  }
  return apart;
}

void move_along(std::span<const Disagreement> apart, double step, Multipliers& multipliers) {
  const std::size_t cells = multipliers.straight.size();
  for (const auto& [cell, sign] : apart)
    (cell < cells ? multipliers.straight[cell] : multipliers.crosswise[cell - cells]) -= step * sign;
}

}  // namespace

void tighten(const PairShape& shape, const PairScores& scores, std::size_t steps, BoundedMatch& known) {
  Multipliers at = known.multipliers;
  if (at.empty()) {
    at.straight.assign(shape.edge_cells(), 0);
    at.crosswise.assign(shape.directed ? 0 : shape.edge_cells(), 0);
  }
  double length = 1;
  std::size_t stalled = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    if (known.bound - known.value <= kProven * (1 + std::abs(known.bound)) || length < kShortestStep) return;
    RelaxedMatch relaxed = best_relaxed(shape, scores, at);
    if (relaxed.value < known.bound) {
      known.bound = relaxed.value;
      known.multipliers = at;
      stalled = 0;
    } else if (++stalled == kPatience) {
      length /= 2;
      stalled = 0;
    }
    const std::vector<Disagreement> apart = disagreements(shape, relaxed);
    improve(shape, scores, relaxed.match);
    if (const double value = match_value(shape, scores, relaxed.match); value > known.value) {
      known.value = value;
      known.match = std::move(relaxed.match);
    }
    if (apart.empty()) return;  // the vertex is a matching
    move_along(apart, length * std::max(relaxed.value - known.value, 0.0) / static_cast<double>(apart.size()), at);
  }
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// An upper bound of a quadratic assignment that is the maximum of a linear function over a polytope which does not
// depend on the scores: what learning needs, since the maximum is then convex in the weights and attained by a point
// whose features are a plane (docs/matching.md).
//
// Half of an edge's score is given to each of its ends. A node i that goes to j may send its edges to those of j
// as if it were alone (a small assignment), and nodes are then assigned by node score plus what their edges
// bring: the bound of Gilmore and Lawler. An edge that both ends send to the same place counts fully, as it
// should; where the ends disagree, the bound is too large. Multipliers move score from one end to the other,
// which cancels where they agree, so that every choice of them is a bound; minimising over them gives that of the
// linear relaxation (Adams and Johnson).
#pragma once

#include "learning/matching/shape.h"

namespace dorm {

/// What moves from the second end to the first when an edge of the first graph goes to one of the second straight (from
/// to from), or, in undirected graphs, crosswise. Empty: nothing anywhere.
struct Multipliers {
  std::vector<double> straight, crosswise;  // row_edges x column_edges
  bool empty() const { return straight.empty(); }
};

/// One end of an edge of the first graph is sent to an end of an edge of the second.
struct EndPair {
  std::uint32_t row_edge = 0, column_edge = 0;
  std::uint32_t row_end = 0, column_end = 0;
};

/// A vertex of the polytope.
struct RelaxedMatch {
  double value = 0;  // no matching has more
  Match match;
  std::vector<EndPair> ends;  // each brings half of its edge score, and its multipliers
  double moved = 0;           // the part of `value` that comes from multipliers
};

/// The maximum over the polytope, exactly.
RelaxedMatch best_relaxed(const PairShape& shape, const PairScores& scores, const Multipliers& multipliers);

/// The best of what is known of a quadratic assignment.
struct BoundedMatch {
  Match match;
  double value = 0;         // of the match
  double bound = 0;         // no matching has more
  Multipliers multipliers;  // that prove it
};

/// Lowers the bound by at most `steps` steps of the subgradient method (Polyak's step to the best value found) from the
/// multipliers given, and improves the match where the relaxation shows a better one. Never makes either worse.
void tighten(const PairShape& shape, const PairScores& scores, std::size_t steps, BoundedMatch& known);

}  // namespace dorm

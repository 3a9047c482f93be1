// SPDX-License-Identifier: Apache-2.0
// Good matchings of a quadratic assignment: Frank and Wolfe's method over doubly stochastic matrices (FAQ), and
// exchanges of partners until none helps.
#pragma once

#include "learning/matching/relaxation.h"

namespace dorm {

/// Exchanges the partners of two nodes, moves one to a node that is free, or leaves it alone where that is allowed, as
/// long as the value grows.
void improve(const PairShape& shape, const PairScores& scores, Match& match);

/// Frank and Wolfe from the centre of the matchings, mixed with `start` where it is not empty, by exact line searches;
/// the matching nearest to where it ends, by the gradient there.
Match frank_wolfe(const PairShape& shape, const PairScores& scores, const Match& start = {});

/// The best of several searches with a bound that at most `steps` steps have tightened. Exact where there are no edges
/// to agree on: then bound and value are the same.
BoundedMatch best_match(const PairShape& shape, const PairScores& scores, std::size_t steps);

}  // namespace dorm

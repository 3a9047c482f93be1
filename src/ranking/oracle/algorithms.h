// SPDX-License-Identifier: Apache-2.0
// The oracles behind separate(): each fills `ranking` (document at each position) with an optimal ranking.
#pragma once

#include <cstdint>
#include <span>

#include "dorm/oracle.h"
#include "ranking/oracle/workspace.h"

namespace dorm::oracle {

using Scores = std::span<const double>;

/// Descending g - kappa b.
void rank_proportional(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

/// The same when the decay is constant from n <= kMaxSelection on, n < l: the top n are selected, the rest stay in
/// document order. Fills `out` itself.
void separate_by_selection(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work, Separation& out);

/// Kind::first.
void rank_first_hit(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

/// Few gains. False when the frontier outgrew its cap; the ranking is then not set.
bool rank_merge(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

/// a constant past a small cutoff.
void rank_exchange(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

/// Anything of Kind::sum.
void rank_paths(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

/// Anything of Kind::sum, through the dense l x l solver; allocates.
void rank_assignment(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

/// With limits on groups: the most violated list. Fills `out` itself.
void separate_grouped(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work, Separation& out);

/// The part of it for Kind::first: fills the first `shown` entries of work.ranking.
void rank_grouped_first_hit(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

}  // namespace dorm::oracle

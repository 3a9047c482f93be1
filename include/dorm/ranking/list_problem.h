// SPDX-License-Identifier: Apache-2.0
// The list problem: one list to be ranked under a bound.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dorm/oracle.h"

namespace dorm {

/// The most violated ranking of a list, as a plane in the scores: H(g) >= loss - <delta, g> for all g, with equality
/// where it was found.
struct ScorePlane {
  double loss = 0;            // of the ranking
  std::vector<double> delta;  // z0 - c[position], by document
  double value = 0;           // H at the scores it was made for
};

/// Scratch of one thread.
struct ListWorkspace {
  Separation separation;
  Reference reference;
  OracleWorkspace oracle;
};

///   H(g) = max_pi [Delta(pi) + sum_i c[pi(i)] g_i] - sum_i z0_i g_i
///
/// The query does not change, the reference z0 is fixed between calls of set_reference: H is convex in g, and never
/// negative when z0 is a ranking. What learns from lists holds these, whatever its scores are made of.
class ListProblem {
 public:
  explicit ListProblem(PreparedQuery query) : query_(std::move(query)) {}

  std::size_t size() const { return query_.size(); }
  const PreparedQuery& query() const { return query_; }
  std::span<const double> reference() const { return reference_; }  // z0 by document; empty until set

  /// Chooses z0 by make_reference(); whether it changed.
  bool set_reference(Bound bound, Labels labels, std::span<const double> scores, ListWorkspace& workspace);

  /// The plane of H at these scores. z0 must have been set.
  void linearize(std::span<const double> scores, ScorePlane& out, ListWorkspace& workspace,
                 OracleKind kind = OracleKind::automatic) const;

  /// The same against the z0 that a bound which depends on scores chooses at these, instead of its own.
  void linearize_against(Bound bound, std::span<const double> scores, ScorePlane& out, ListWorkspace& workspace) const;

 private:
  PreparedQuery query_;
  std::vector<double> reference_;
};

/// Nothing where every ranking is equally good, so that there is nothing to learn. `groups`: none, or limits on what a
/// list shows, as in prepare(), whose errors it throws.
std::optional<ListProblem> make_list_problem(const Factors& factors, const Decay& decay, OracleTables& tables,
                                             GroupLimits groups = {});

}  // namespace dorm

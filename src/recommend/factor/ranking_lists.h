// SPDX-License-Identifier: Apache-2.0
// The rated items of each user as lists to rank: gains, reference ranking, most violated ranking.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "dorm/oracle.h"
#include "dorm/ranking/list_problem.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

/// Scores of one user's items: offset_j + <user_row, V_j>, written by position in the row.
void score_items(std::span<const std::uint32_t> items, std::span<const double> user_row,
                 const FactorMatrix& item_factors, std::span<const double> offsets, std::span<double> scores);

class RankingLists {
 public:
  struct List {
    std::uint32_t user;
    ListProblem problem;  // documents are positions in the row
  };

  /// Lists of users with ratings of different gain; the others are counted. Borrows the ratings. Gains are those of the
  /// labels that `grades` make of the ratings, multiplied by `margin`. References are `given` or `average` at once,
  /// else empty until set.
  RankingLists(const Ratings& ratings, const FactorizeOptions& options, ThreadPool& pool,
               const RatingGrades& grades = {});

  std::size_t size() const { return lists_.size(); }
  const List& operator[](std::size_t l) const { return lists_[l]; }
  RatingRow row(std::size_t l) const { return ratings_.of_user(lists_[l].user); }
  Bound bound() const { return bound_; }
  const Ratings& ratings() const { return ratings_; }

  /// Chooses z0 of one list at these scores; the change of z0 is left in `change` (empty: none).
  void set_reference(std::size_t l, std::span<const double> scores, ListWorkspace& workspace,
                     std::vector<double>& change);

  void separate(std::size_t l, std::span<const double> scores, ScorePlane& out, ListWorkspace& workspace) const {
    lists_[l].problem.linearize(scores, out, workspace);
  }

 private:
  const Ratings& ratings_;
  Bound bound_;
  OracleTables tables_;
  std::vector<List> lists_;
};

}  // namespace dorm

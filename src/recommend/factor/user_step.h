// SPDX-License-Identifier: Apache-2.0
// The half step in U: with the items fixed every user is a small convex problem of its own,
//
//   minimise over x   H_u(fixed scores + V x) + lambda/2 |x - x0|^2,
//
// solved by cutting planes. A plane of the scores is pulled back to the factors once, p = V' delta.
#pragma once

#include <span>

#include "dorm/ranking/list_problem.h"
#include "recommend/factor/local_planes.h"
#include "recommend/factor/ranking_lists.h"

namespace dorm {

struct UserStepResult {
  double before = 0, after = 0, dual = 0;  // of the user's problem
};

/// Solves one user's problem at a time. Holds scratch memory.
class UserStep {
 public:
  UserStep(double lambda, double tolerance) : lambda_(lambda), tolerance_(tolerance) {}

  /// `row` is the user's factor row, replaced unless no better point was found; `centre` holds x0. The reference of the
  /// list is chosen anew at the present scores.
  UserStepResult solve(RankingLists& lists, std::size_t l, const FactorMatrix& item_factors,
                       std::span<const double> offsets, std::span<const double> centre, std::span<double> row);

 private:
  bool add_plane(std::span<const std::uint32_t> items, const FactorMatrix& item_factors);
  double maximise_dual(std::span<const double> centre, double tolerance);

  double lambda_, tolerance_;
  LocalPlanes<double> planes_;
  ListWorkspace workspace_;
  ScorePlane plane_;
  std::vector<double> scores_, centre_scores_, pulled_, change_, alpha_, h_;
  std::vector<double> trial_;  // the factor row under trial
  double trial_regulariser_ = 0;
};

/// One for each thread.
std::vector<UserStep> user_steps(std::size_t threads, const FactorizeOptions& options);

}  // namespace dorm

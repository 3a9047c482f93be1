// SPDX-License-Identifier: Apache-2.0
// Implicit ALS: exact alternating least squares, all zeros counted at the cost of the events alone.
#pragma once

#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "dorm/recommend/implicit.h"

namespace dorm {

/// V^T V of the rows of V, f x f. The same bits on any number of threads.
std::vector<double> gram_of(const FactorMatrix& rows, ThreadPool& pool);

/// Solves for one row x, exactly:
///   (G + ridge I + sum alpha r_i V_i V_i^T) x = sum (1 + alpha r_i) V_i   over the events of the row.
/// All other items have weight 1 and target 0; they are in G = V^T V, which serves all rows.
class AlsRow {
 public:
  void solve(const FactorMatrix& fixed, const std::vector<double>& gram, const AlsOptions& options,
             const RatingRow& events, std::span<double> out);
  /// Solves with the same matrix for another right side.
  void answer(const FactorMatrix& fixed, const std::vector<double>& gram, const AlsOptions& options,
              const RatingRow& events, std::span<const double> right, std::span<double> out);

 private:
  void assemble(const FactorMatrix& fixed, const std::vector<double>& gram, const AlsOptions& options,
                const RatingRow& events);
  void solve_in_place(std::span<double> right);

  std::vector<double> matrix_, rows_;
};

/// Training, an iteration at a time. The factors of the users are always the solution for those of the items.
class Als {
 public:
  Als(const Ratings& events, const AlsOptions& options, ThreadPool& pool);

  /// Solves for the items, then for the users. False: it was stopped, and the factors are of the last full step.
  bool iterate(const StopAsked& stop);
  const FactorMatrix& users() const { return users_; }
  const FactorMatrix& items() const { return items_; }

 private:
  bool solve_rows(bool items, const StopAsked& stop);

  const Ratings& events_;
  AlsOptions options_;
  ThreadPool& pool_;
  std::vector<AlsRow> solvers_;
  FactorMatrix users_, items_;
};

}  // namespace dorm

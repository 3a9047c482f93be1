// SPDX-License-Identifier: Apache-2.0
// Squared-loss factorization by alternating least squares: the start of ranking factorization, and its fold-in.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

/// Ridge of the coordinates of a factor row. An infinite lambda leaves all learnt coordinates 0, biases included.
struct Ridges {
  double lambda = 0;
  std::vector<double> user;  // user_width() entries
  std::vector<double> item;  // item_width() entries
};
Ridges ridges_of(const FactorLayout& layout, double lambda);

/// One row: minimises sum_i (target_i - <x, rows[index_i]>)^2 + sum_c ridge_c (x_c - centre_c)^2 over the coordinates
/// [begin, begin + ridge.size()) of x, the others staying as they are; x is also where the search starts. An empty
/// centre is 0. Conjugate gradients, so that a row of n ratings costs a few products of n by its width.
class RowSolver {
 public:
  /// Stops when the residual of the linear system has fallen to this share, or after so many steps.
  explicit RowSolver(double residual = 1e-6, std::size_t steps = 50) : residual_bound_(residual), max_steps_(steps) {}

  void solve(const FactorMatrix& rows, std::span<const std::uint32_t> index, std::span<const double> target,
             std::size_t begin, std::span<const double> ridge, std::span<double> x,
             std::span<const double> centre = {});

 private:
  void multiply(const FactorMatrix& rows, std::span<const std::uint32_t> index, std::size_t begin,
                std::span<const double> ridge);
  double residual_bound_;
  std::size_t max_steps_;
  std::vector<double> residual_, diagonal_, z_, direction_, product_;
};

/// Sweeps over items and users from the model's present factors. `after_sweep` may stop it with false.
void fit_squared_loss(FactorModel& model, const Ratings& ratings, ThreadPool& pool,
                      const std::function<bool(std::size_t sweep)>& after_sweep);

/// The learnt coordinates of one user (or item) row from its ratings, the other side fixed.
void solve_user_row(const FactorModel& model, const Ridges& ridges, RatingRow ratings, std::span<double> user_row,
                    RowSolver& solver);
void solve_item_row(const FactorModel& model, const Ridges& ridges, RatingRow ratings, double offset,
                    std::span<double> item_row, RowSolver& solver);

}  // namespace dorm

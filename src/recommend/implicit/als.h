// SPDX-License-Identifier: Apache-2.0
// Implicit ALS: exact alternating least squares, all zeros counted at the cost of the events alone.
#pragma once

#include <optional>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "dorm/recommend/implicit.h"
#include "recommend/implicit/als_kernels.h"

namespace dorm {

/// The rows V that stay fixed while those of the other side are solved, and what they all share: V^T V + ridge I,
/// which stands for the items of weight 1 and target 0. The same bits on any number of threads.
class AlsSide {
 public:
  AlsSide(const FactorMatrix& rows, const AlsOptions& options, ThreadPool& pool, const StopAsked& stop = {});

  bool complete() const { return !gram_.empty(); }  // false: it was stopped
  std::size_t width() const { return width_; }

 private:
  friend class AlsRow;

  std::size_t width_;
  double alpha_;
  std::vector<float> rows_, start_;  // start_: gram_ in single precision and in the layout of the kernels
  std::vector<double> gram_;
};

/// Solves for one row x:
///   (V^T V + ridge I + sum alpha r_i V_i V_i^T) x = sum (1 + alpha r_i) V_i   over the events of the row
/// by a Cholesky decomposition in single precision that is refined in double until the relative error of x is about
/// 1e-8 or less; where that fails, the decomposition is repeated in double.
class AlsRow {
 public:
  void solve(const AlsSide& fixed, const RatingRow& events, std::span<double> out);
  /// Solves with the same matrix for another right side.
  void answer(const AlsSide& fixed, const RatingRow& events, std::span<const double> right, std::span<double> out);

 private:
  void finish(const AlsSide& fixed, const AlsEvents& events, std::span<double> out);
  bool refine(const AlsSide& fixed, const AlsEvents& events);
  void solve_in_double(const AlsSide& fixed, const AlsEvents& events);

  std::vector<float> matrix_, gathered_, inverse_, half_, step_;
  std::vector<double> right_, left_, x_;
};

/// Training, an iteration at a time. The factors of the users are always the solution for those of the items, which are
/// numbers of single precision.
class Als {
 public:
  Als(const Ratings& events, const AlsOptions& options, ThreadPool& pool);

  /// Solves for the items, then for the users; the first time for the users of random items before. False: it was
  /// stopped, and the factors are of the last full step.
  bool iterate(const StopAsked& stop);
  bool started() const { return users_.rows > 0; }  // false: there are no users yet
  const FactorMatrix& users() const { return users_; }
  const FactorMatrix& items() const { return items_; }

 private:
  std::optional<FactorMatrix> solved(bool items, const FactorMatrix& fixed, const StopAsked& stop);

  const Ratings& events_;
  AlsOptions options_;
  ThreadPool& pool_;
  std::vector<AlsRow> solvers_;
  FactorMatrix users_, items_;
};

}  // namespace dorm

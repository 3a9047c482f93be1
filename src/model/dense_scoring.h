// SPDX-License-Identifier: Apache-2.0
// A linear model in the columns of dense rows: all that it takes to score one query after another.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/vector/vector_ops.h"
#include "dorm/data/scale.h"

namespace dorm {

class DenseScoring {
 public:
  static constexpr std::size_t kColumns = 64;  // that are scaled at a time: rows of one query stay in the cache

  /// Scaling and weights by column; `constant` is what features that are no columns add to every score.
  DenseScoring(Scaling scaling, std::vector<double> weights, double constant);

  /// Of one thread.
  struct Workspace {
    std::vector<double> scaled, shift, w;
    std::vector<float> low, high;
  };

  /// The scores of the documents of one query. `known`: their scaled logarithms, kColumns columns at a time, each piece
  /// row by row; null: they are made.
  void scores(const DenseRows& rows, Workspace& workspace, std::span<double> out, const double* known = nullptr) const;

  const std::vector<double>& weights() const { return w_; }

 private:
  void add_logarithms(const DenseRows& rows, Workspace& workspace, std::span<double> out, const double* known) const;

  Scaling scaling_;
  std::vector<double> w_;
  std::vector<double> w_factor_;  // kinds fitted to all the data: times the factor
  double constant_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The units of C. On features scaled by s to unit mean squared row norm the user minimises
//
//     1/2 |v|^2 + (C / m) sum over m blocks of H;
//
// on the features as they are, with w = s v, that is 1/s^2 times 1/2 |w|^2 + (C s^2 / m) sum of H, which is solved. The
// paper's C multiplies the sum itself, on the features as they are.
#pragma once

#include <cstddef>
#include <utility>

#include "dorm/solver.h"

namespace dorm {

class UnitsOfC {
 public:
  explicit UnitsOfC(double squared_scale, bool paper = false) : squared_scale_(squared_scale), paper_(paper) {}

  /// The weight of a block of average weight in the problem that is solved.
  double trade_off(double C, std::size_t blocks) const {
    return paper_ ? C : C * squared_scale_ / static_cast<double>(blocks);
  }

  /// An objective of the problem that is solved, as the user's.
  double objective(double value) const { return paper_ ? value : value / squared_scale_; }

  Progress objective(Progress progress) const {
    progress.primal = objective(progress.primal);
    progress.dual = objective(progress.dual);
    return progress;
  }

  SolveReport objective(SolveReport report) const {
    report.primal = objective(report.primal);
    report.dual = objective(report.dual);
    for (Progress& progress : report.history) progress = objective(progress);
    return report;
  }

 private:
  double squared_scale_;
  bool paper_;
};

}  // namespace dorm

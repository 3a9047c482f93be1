// SPDX-License-Identifier: Apache-2.0
// Early stopping of one candidate: watches its validation measure and keeps the weights that did best.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "learning/train/rounds.h"

namespace dorm {

class EarlyStopping {
 public:
  /// After `patience` evaluations in a row without a better value the candidate is over; 0: never.
  explicit EarlyStopping(std::size_t patience) : patience_(patience) {}

  void note(double validation, const Progress& progress) {
    if (patience_ == 0 || progress.best_w.empty()) return;
    if (validation > best_) {
      best_ = validation;
      w_.assign(progress.best_w.begin(), progress.best_w.end());
      primal_ = progress.primal;
      dual_ = progress.dual;
      since_ = 0;
    } else {
      ++since_;
    }
  }

  bool over() const { return patience_ > 0 && since_ >= patience_; }

  /// Puts the weights that did best in place of the last ones, with the certificate they had.
  void keep_best(Fitted& fitted) const {
    if (w_.empty() || (w_ == fitted.w && !over())) return;
    fitted.w = w_;
    fitted.report.primal = primal_;
    fitted.report.dual = dual_;
    fitted.report.gap = relative_gap(primal_, dual_);
    fitted.early_stopped = true;
  }

 private:
  std::size_t patience_, since_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
  double primal_ = 0, dual_ = 0;
  std::vector<double> w_;
};

}  // namespace dorm

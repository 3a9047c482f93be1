// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_ledger.h"

#include <algorithm>
#include <cmath>

namespace dorm {
namespace {

constexpr double kOftenEnough = 0.05;  // seconds

}  // namespace

void TuneLedger::expect(std::size_t kernel, Sort sort, std::size_t splits) {
  const std::lock_guard lock(mutex_);
  ++points_;
  forecast_.expect(kernel, sort, splits);
}

void TuneLedger::solved(std::size_t kernel, Sort sort, std::optional<double> seconds) {
  const std::lock_guard lock(mutex_);
  if (seconds)
    forecast_.measured(kernel, sort, *seconds);
  else
    forecast_.known(kernel, sort);
}

void TuneLedger::skipped(std::size_t kernel, Sort sort, std::size_t problems) {
  const std::lock_guard lock(mutex_);
  forecast_.give_up(kernel, sort, problems);
}

void TuneLedger::evaluated(const GridPoint& point, bool counts) {
  const std::lock_guard lock(mutex_);
  ++evaluated_;
  ++decided_;
  if (counts && !std::isnan(point.validation) && (!leader_ || point.validation > leader_->validation)) leader_ = point;
}

void TuneLedger::pruned() {
  const std::lock_guard lock(mutex_);
  ++decided_;
}

void TuneLedger::report() {
  if (!observer_) return;
  const std::lock_guard lock(mutex_);
  TuneProgress progress{.done = decided_, .total = points_, .resumed = resumed_};
  if (leader_) {
    progress.best = leader_->validation;
    progress.leader = &*leader_;
  }
  progress.seconds_left = forecast_.left(threads_);
  if (const double left = limit_.left(); left > 0) progress.seconds_left = std::min(progress.seconds_left, left);
  since_report_ = Stopwatch();
  if (!observer_(progress)) stopped_ = true;
}

void TuneLedger::report_if_due() {
  if (!observer_ || stopped_) return;
  {
    const std::lock_guard lock(mutex_);
    if (since_report_.seconds() < kOftenEnough) return;
  }
  report();
}

}  // namespace dorm

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
  ++cells_;
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

void TuneLedger::judged(const GridPoint& cell, bool counts) {
  const std::lock_guard lock(mutex_);
  ++judged_;
  ++decided_;
  if (counts && !std::isnan(cell.validation) && (!leader_ || cell.validation > leader_->validation)) leader_ = cell;
}

void TuneLedger::given_up() {
  const std::lock_guard lock(mutex_);
  ++decided_;
}

void TuneLedger::tell() {
  if (!observer_) return;
  const std::lock_guard lock(mutex_);
  TuneProgress progress{.done = decided_, .total = cells_, .resumed = resumed_};
  if (leader_) {
    progress.best = leader_->validation;
    progress.leader = &*leader_;
  }
  progress.seconds_left = forecast_.left(threads_);
  if (const double left = limit_.left(); left > 0) progress.seconds_left = std::min(progress.seconds_left, left);
  since_told_ = Stopwatch();
  if (!observer_(progress)) stopped_ = true;
}

void TuneLedger::tell_now_and_then() {
  if (!observer_ || stopped_) return;
  {
    const std::lock_guard lock(mutex_);
    if (since_told_.seconds() < kOftenEnough) return;
  }
  tell();
}

}  // namespace dorm

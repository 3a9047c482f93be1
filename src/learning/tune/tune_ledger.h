// SPDX-License-Identifier: Apache-2.0
// How far a tuning is, over all kernels: what the observer is told, and whether to go on.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/stopwatch.h"
#include "dorm/train.h"
#include "learning/tune/tune_forecast.h"

namespace dorm {

class TuneLedger {
 public:
  using Sort = TuneForecast::Sort;

  /// Borrows both.
  TuneLedger(const TuneObserver& observer, const TimeLimit& limit, std::size_t threads)
      : observer_(observer), limit_(limit), threads_(threads) {}

  const TimeLimit& limit() const { return limit_; }

  std::size_t add_kernel(double cost) { return forecast_.add_kernel(cost); }
  /// A cell of a kind on so many splits is to come.
  void expect(std::size_t kernel, Sort sort, std::size_t splits);
  /// A problem of it is done in so many seconds, or nothing: by an earlier run. One will not be tried.
  void solved(std::size_t kernel, Sort sort, std::optional<double> seconds);
  void skipped(std::size_t kernel, Sort sort, std::size_t problems);

  /// A cell is judged on all splits; `counts`: it may lead. Another is given up.
  void judged(const GridPoint& cell, bool counts);
  void given_up();
  /// What is judged now was known before this run.
  void note_resumed() { resumed_ = num_judged(); }

  std::size_t num_judged() const { return judged_; }
  std::size_t num_cells() const { return cells_; }
  std::size_t num_resumed() const { return resumed_; }

  /// Tells the observer how things stand.
  void tell();
  /// The same, but not more often than is of use.
  void tell_now_and_then();
  bool stopped() const { return stopped_; }
  /// Nothing more is to be begun, and what runs is to end.
  bool over() const { return stopped_ || limit_.over(); }

 private:
  const TuneObserver& observer_;
  const TimeLimit& limit_;
  std::size_t threads_;
  mutable std::mutex mutex_;
  TuneForecast forecast_;
  std::atomic<std::size_t> cells_ = 0, judged_ = 0, resumed_ = 0;
  std::size_t decided_ = 0;
  std::optional<GridPoint> leader_;
  Stopwatch since_told_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace dorm

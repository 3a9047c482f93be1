// SPDX-License-Identifier: Apache-2.0
// The progress of a tuning over all kernels: reports to the observer, and whether to continue.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/stopwatch.h"
#include "dorm/tune.h"
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
  /// Announces a grid point of a kind, on a number of splits.
  void expect(std::size_t kernel, Sort sort, std::size_t splits);
  /// Records a solved problem (a point on one split) and its time; no time if it was restored from a checkpoint.
  void solved(std::size_t kernel, Sort sort, std::optional<double> seconds);
  /// Records problems that will not be solved.
  void skipped(std::size_t kernel, Sort sort, std::size_t problems);

  /// Records a point that was evaluated on all splits; `counts`: it may lead. And one that was pruned.
  void evaluated(const GridPoint& point, bool counts);
  void pruned();
  /// The points so far come from an earlier run.
  void note_resumed() { resumed_ = num_evaluated(); }

  std::size_t num_evaluated() const { return evaluated_; }
  std::size_t num_points() const { return points_; }
  std::size_t num_resumed() const { return resumed_; }

  /// Reports to the observer.
  void report();
  /// The same, at most 20 times a second.
  void report_if_due();
  bool stopped() const { return stopped_; }
  /// No training is to begin, and running ones are to end.
  bool over() const { return stopped_ || limit_.over(); }

 private:
  const TuneObserver& observer_;
  const TimeLimit& limit_;
  std::size_t threads_;
  mutable std::mutex mutex_;
  TuneForecast forecast_;
  std::atomic<std::size_t> points_ = 0, evaluated_ = 0, resumed_ = 0;
  std::size_t decided_ = 0;
  std::optional<GridPoint> leader_;
  Stopwatch since_report_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace dorm

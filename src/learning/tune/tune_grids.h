// SPDX-License-Identifier: Apache-2.0
// A grid under each kernel in turn, since each has its Gram matrix or features, and the one that is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "learning/tune/tune_checkpoint.h"
#include "learning/tune/tune_grid.h"

namespace dorm {

class TuneGrids {
 public:
  /// `measures`: to train for, unless the options name some. `clock` takes the place of the wall clock where the time
  /// limit is looked at between passes. Borrows task and validation. Throws Error as tune() does.
  TuneGrids(const Task& task, const TuneOptions& options, std::vector<std::string> measures, const Task* validation,
            const TimeLimit::Clock& clock = {});

  /// To be called once, first.
  void run(const TuneObserver& observer);

  const Tuning& kept() const { return *kept_; }
  const std::vector<double>& weights() const { return delivered_.w; }
  double validation() const { return moments_of_delivered_; }
  /// All but the report; shares are those of the kernel that is kept.
  TuneOutcome outcome() const;

  /// What to train the winner by, where judged weights make no model.
  TrainOptions refit() const;

  /// To be called when the model is safe in the caller's hands; removes a checkpoint that has no more to do.
  void finish(const TuneOutcome& outcome) const;

 private:
  bool refits() const;
  double cost_of(const std::string& kernel) const;
  void judge(std::size_t k);
  void keep_better(std::unique_ptr<Tuning> tuning);

  const Task& task_;
  TuneOptions options_;
  const Task* validation_;
  TimeLimit limit_, judging_;  // the rest is for a refit
  TuneCheckpoint checkpoint_;
  std::optional<TuneLedger> ledger_;
  std::vector<std::unique_ptr<Tuning>> tunings_;  // to come
  std::unique_ptr<Tuning> kept_;
  Tuning::Delivered delivered_;
  double moments_of_delivered_ = 0;
  std::vector<GridPoint> cells_;
  std::vector<PrunedPoint> pruned_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A tuning under each kernel in turn, since each has its Gram matrix or features, and the one that is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "learning/tune/tune_checkpoint.h"
#include "learning/tune/tune_memory.h"
#include "learning/tune/tune_result.h"

namespace dorm {

class KernelSearch {
 public:
  /// `measures`: to train for, unless the options name some. `clock` replaces the wall clock where the time limit is
  /// checked between passes. Borrows task and validation. Throws Error as tune() does.
  KernelSearch(const LearningTask& task, const TuneOptions& options, std::vector<std::string> measures,
               const LearningTask* validation, const TimeLimit::Clock& clock = {});

  /// To be called once, first.
  void run(const TuneObserver& observer);

  const TuneRunResult& kept() const { return kept_->result; }
  const TunePlan& plan() const { return kept_->run->plan(); }
  const TuneRunResult::Delivered& delivered() const { return delivered_; }
  double validation() const { return validation_of_delivered_; }
  /// All but the model and the report; shares are those of the kernel that is kept.
  TuneResult result() const;

  /// Options to train the winner again, where the weights that were evaluated make no model.
  TrainOptions refit() const;

  /// To be called with the complete result; removes the checkpoint of a tuning that is finished.
  void finish(const TuneResult& result) const;

 private:
  struct Tuned {
    std::unique_ptr<TuneRun> run;
    TuneRunResult result;
  };

  bool refits() const;
  double cost_of(const std::string& kernel) const;
  void run_kernel(std::size_t k);
  void keep_better(std::unique_ptr<Tuned> tuned);
  void weigh_trees(const TuneRunResult& result);

  const LearningTask& task_;
  TuneOptions options_;
  const LearningTask* validation_;
  TimeLimit limit_, grid_limit_;  // the rest is for a refit
  MemoryShares shares_;
  TuneCheckpoint checkpoint_;
  std::optional<TuneLedger> ledger_;
  std::vector<std::unique_ptr<TuneRun>> runs_;  // to come
  std::unique_ptr<Tuned> kept_;
  TuneRunResult::Delivered delivered_;
  double validation_of_delivered_ = 0;
  std::optional<TreesWorth> worth_;
  std::optional<Model> linear_;
  std::vector<GridPoint> points_;
  std::vector<PrunedPoint> pruned_;
};

}  // namespace dorm

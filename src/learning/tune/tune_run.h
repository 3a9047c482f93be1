// SPDX-License-Identifier: Apache-2.0
// The run of a tuning under one kernel. Paths run in parallel and do not see each other, so the model does not depend
// on the number of threads; those of the bound predicted run last, and see what the others reached.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "learning/train/rounds.h"
#include "learning/tune/tune_checkpoint.h"
#include "learning/tune/tune_ledger.h"
#include "learning/tune/tune_split.h"

namespace dorm {

class TuneRun {
 public:
  /// `validation` is of the same kind as `task`, or null: by folds. Takes the points of kernel number `kernel` from the
  /// checkpoint, and announces the others to the ledger. Borrows all but the plan.
  TuneRun(const LearningTask& task, TunePlan plan, const LearningTask* validation, std::size_t kernel,
          TuneLedger& ledger, TuneCheckpoint& checkpoint);

  /// Prepares the data and evaluates all points. Once the ledger is over, trainings end within a pass and are not
  /// evaluated, and no other begins; with `at_least_one` the first point is evaluated all the same, on the first split
  /// at least, unless the observer stopped the tuning. To be called once.
  void run(bool at_least_one);

  /// Some point was evaluated on all splits, perhaps by an earlier run.
  bool knows_points() const;

  const LearningTask& task() const { return task_; }
  const TunePlan& plan() const { return plan_; }
  const TuneSplits& splits() const { return splits_; }
  /// Setting by setting, split by split.
  std::vector<EvaluatedPath>& paths() { return paths_; }
  /// Without a point on all splits, a part of one is to be delivered.
  bool takes_parts() const { return at_least_one_ && !ledger_.stopped(); }

 private:
  void restore();
  void check_restored() const;
  void run_paths(bool predicted);
  void note_best();
  void run_initial_model(std::size_t number, bool needed);
  void run_bound(std::size_t number, bool needed);
  void run_trees(std::size_t number);
  std::vector<double> start_of(TuneSplit& split, const PathSetting& setting, bool needed);
  SolverState warm_state(const EvaluatedPath& path, double factor, const ReferencedRisk& risk) const;
  void keep(std::size_t number, std::vector<EvaluatedWeights> points, double seconds,
            std::shared_ptr<const SolverState> warm);
  void account(std::size_t setting);
  void poll(bool needed);
  bool cut(bool needed) const;
  std::size_t threads_of_path() const;

  const LearningTask& task_;
  const LearningTask* validation_;
  TunePlan plan_;
  std::size_t threads_, kernel_;
  TuneLedger& ledger_;
  TuneCheckpoint& checkpoint_;
  std::atomic<std::size_t> paths_left_ = 1;  // of those that run side by side
  bool at_least_one_ = false;
  std::atomic<bool> has_one_ = false;         // a point was evaluated, on one split at least
  std::shared_ptr<const LightGbm> lightgbm_;  // where there are trees
  TuneSplits splits_;
  std::mutex mutex_;  // of what follows, while paths run
  std::vector<EvaluatedPath> paths_;
  std::vector<std::vector<char>> decided_;  // points of each setting that the ledger has counted
};

}  // namespace dorm

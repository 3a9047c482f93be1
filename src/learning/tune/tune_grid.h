// SPDX-License-Identifier: Apache-2.0
// The cells of a tuning grid under one kernel, and the model that they make. The grid is cut into paths: one (split,
// measure, decay, bound, start) each, solved over rising C with a warm start, or a cheap ranker over its own C. Paths
// run in parallel and do not see each other, so the model does not depend on the number of threads; those of the bound
// predicted run last, and see what the others reached.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "learning/train/rounds.h"
#include "learning/train/task.h"
#include "learning/tune/tune_checkpoint.h"
#include "learning/tune/tune_ledger.h"
#include "learning/tune/tune_path.h"

namespace dorm {

class Tuning {
 public:
  /// `grid` names measures, and the kernel in grid.train; `validation` is of the same kind as `task`, or null: by
  /// folds. Takes what the checkpoint knows of kernel number `kernel`, and tells the ledger what is to come; the data
  /// is made ready by run(). Borrows all but the grid.
  Tuning(const Task& task, TuneOptions grid, const Task* validation, std::size_t kernel, TuneLedger& ledger,
         TuneCheckpoint& checkpoint);
  ~Tuning();

  /// Judges all cells. Once the ledger says that it is over, cells end where they stand and are not judged, and no
  /// other is begun; with `must_judge` the first cell is judged all the same, on the first split at least, unless it
  /// was stopped. To be called once.
  void run(bool must_judge);

  /// Some cell was judged on all splits, perhaps by an earlier run.
  bool knows_cells() const;

  /// In the order of the grid, their shares filled in; none when stopped before the first.
  const std::vector<GridPoint>& cells() const { return cells_; }
  std::vector<PrunedPoint> pruned() const;
  const GridPoint& leader() const;  // the largest share
  /// The rule by which shares are given: that of the options, or steady where rankers cannot be averaged.
  Choice choice() const;

  /// Whether the weights that were judged make a model: those of folds do where they can be averaged.
  bool delivers() const;
  /// The judged weights by their shares; over folds, their mean. `per_query`: how they do on the validation queries.
  struct Delivered {
    std::vector<double> w;
    std::vector<double> per_query;
  };
  Delivered deliver() const;
  /// A model of some of the weights (all of them, for a sorted ranking), with how they were found.
  Model model(const std::vector<double>& w, double validation) const;
  /// Gives back the memory that model() has no need of.
  void rest();

 private:
  struct Setting;
  struct Split;

  void make_settings();
  void restore();
  void make_splits();
  void make_folds();
  void check_restored() const;
  TrainOptions options_of(const Setting& setting) const;
  std::vector<double> start_of(Split& split, const Setting& setting, bool must_judge);

  // tune_paths.cpp
  void run_paths(bool predicted);
  void note_best();
  void run_cheap_path(std::size_t number, bool must_judge);
  void run_rounds_path(std::size_t number, bool must_judge);
  PathEnd end_of(const Split& split, const Setting& setting, const JudgedPath& path) const;
  SolverState warm_state(const JudgedPath& path, double factor, const ReferencedRisk& risk) const;
  void keep(std::size_t number, std::vector<JudgedWeights> cells, double seconds,
            std::shared_ptr<const SolverState> warm);
  void poll(bool must_judge);
  bool cut(bool must_judge) const;

  const Setting& setting_of(std::size_t path) const;
  TuneForecast::Sort sort_of(const Setting& setting) const;
  std::vector<const JudgedWeights*> parts_of(std::size_t setting, std::size_t k) const;
  void account(std::size_t setting);
  bool is_whole(const std::vector<const JudgedWeights*>& parts) const;
  void gather();
  Pruned why_not(std::size_t setting, std::size_t k) const;
  JudgedWeights judge(const Split& split, const TrainOptions& options, std::vector<double> w) const;
  GridPoint cell(const Setting& setting, double C, const std::vector<const JudgedWeights*>& parts) const;
  std::vector<double> weights_of(std::size_t split) const;
  std::size_t usable_queries() const;
  std::vector<ModelPart> parts() const;

  const Task& task_;
  const Task* validation_;
  TuneOptions options_;
  std::size_t threads_, kernel_, num_splits_;
  TuneLedger& ledger_;
  TuneCheckpoint& checkpoint_;
  bool must_judge_ = false, folded_;
  std::atomic<bool> has_one_ = false;  // a cell was judged, on one split at least
  std::vector<std::unique_ptr<const Task>> folds_;
  std::vector<std::unique_ptr<Split>> splits_;
  std::vector<Setting> settings_;
  std::vector<std::size_t> order_;          // of the settings: what is most likely to be good, or cheap, first
  std::mutex mutex_;                        // of what follows, while paths run
  std::vector<JudgedPath> paths_;           // setting by setting, split by split
  std::vector<char> cut_;                   // paths that ended in the middle of a cell
  std::vector<std::vector<char>> decided_;  // cells of each setting that the ledger knows of
  std::vector<GridPoint> cells_;
  std::vector<std::pair<std::size_t, std::size_t>> kept_;  // setting and number of C of each
  std::vector<std::vector<JudgedWeights>> parts_;          // of each cell, one per split; taken from the paths
};

}  // namespace dorm

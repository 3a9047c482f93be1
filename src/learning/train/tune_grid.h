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

#include "base/stopwatch.h"
#include "learning/train/rounds.h"
#include "learning/train/task.h"

namespace dorm {

class Tuning {
 public:
  /// `grid` names measures, and the kernel in grid.train; `validation` is of the same kind as `task`, or null: by
  /// folds. Borrows both.
  Tuning(const Task& task, TuneOptions grid, const Task* validation, const TimeLimit& limit, bool must_judge);
  ~Tuning();

  /// Judges all cells. Once the limit is over, problems end where they stand and no other is begun; with `must_judge`
  /// the first cell is judged all the same. To be called once, first.
  void run(const TuneObserver& observer);

  /// In the order of the grid, their shares filled in; none when stopped before the first.
  const std::vector<TuneCell>& cells() const { return cells_; }
  const TuneCell& leader() const;  // the largest share
  bool stopped() const { return stopped_; }

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

 private:
  struct Setting;
  struct Split;
  struct Judged;

  void make_folds(const Task& task);
  void make_settings(const Task& task);
  void make_start(Split& split, const Setting& setting) const;
  TrainOptions options_of(const Setting& setting) const;
  void run_paths(std::vector<std::vector<Judged>>& judged, bool predicted);
  void note_best(const std::vector<std::vector<Judged>>& judged);
  std::vector<Judged> run_path(const Split& split, const Setting& setting, bool must_judge);
  std::vector<Judged> run_rounds_path(const Split& split, const Setting& setting, bool must_judge);
  Judged judge(const Split& split, const TrainOptions& options, std::vector<double> w) const;
  static double mean_of(const Judged& judged);
  bool tell(const Judged& judged);
  TuneCell cell(const Setting& setting, double C, const std::vector<const Judged*>& parts) const;
  std::vector<double> weights_of(std::size_t split) const;
  std::size_t usable_queries() const;
  std::vector<ModelPart> parts() const;

  const Task& task_;
  TuneOptions options_;
  std::size_t threads_;
  const TuneObserver* observer_ = nullptr;  // while it runs
  TimeLimit limit_;
  bool must_judge_, folded_;
  std::vector<std::unique_ptr<const Task>> folds_;
  std::vector<std::unique_ptr<Split>> splits_;
  std::vector<Setting> settings_;
  std::vector<TuneCell> cells_;
  std::vector<std::vector<Judged>> parts_;  // of each cell, one per split
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::size_t done_ = 0, total_ = 0;
  double best_ = 0;
};

}  // namespace dorm

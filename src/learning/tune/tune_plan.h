// SPDX-License-Identifier: Apache-2.0
// The plan of a tuning under one kernel: which paths there are, and in which order they run. A path is a setting
// (measure, decay, bound, initial model) on one split of the data, solved over rising C with a warm start, or an
// initial model by itself over its own C.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dorm/tune.h"
#include "learning/train/kernel_options.h"
#include "learning/train/learning_task.h"
#include "learning/tune/tune_forecast.h"

namespace dorm {

/// What a path trains; the split is not part of it.
struct PathSetting {
  std::string measure, decay;  // empty for an initial model
  std::optional<Bound> bound;  // nothing: the initial model itself
  InitialModel start;
  std::vector<double> C;               // rising; of trees their leaves
  std::optional<TreeLoss> trees = {};  // instead of bound and initial model
  std::size_t space = 0;               // which of the plan's curves it is trained on

  TuneForecast::Sort sort() const;
};

struct TunePlan {
  TuneOptions options;  // with measures and curves, and the kernel in options.train
  bool folded;          // by folds, without validation data
  bool sorts;           // rankings by sorting
  std::size_t splits;   // 1 with validation data
  MemoryShares shares;  // of one path
  std::vector<PathSetting> settings;
  std::vector<std::size_t> order;  // of the settings: the most promising and the fastest first

  std::size_t num_paths() const { return settings.size() * splits; }
  const PathSetting& setting_of(std::size_t path) const { return settings[path / splits]; }
  const std::string& curves_of(const PathSetting& setting) const { return options.curves[setting.space]; }
  /// Whether the weights that were evaluated make a model: those of folds do where they can be averaged.
  bool delivers() const;
  /// How the model is made: as the options say, or steady where rankers cannot be averaged.
  Choice choice() const;
  /// Of a training in `seconds`, on one thread: paths run side by side, and take the threads that are free (TuneRun).
  TrainOptions options_of(const PathSetting& setting, double seconds) const;
};

TunePlan make_plan(const LearningTask& task, TuneOptions options, bool validation, const MemoryShares& shares);

}  // namespace dorm

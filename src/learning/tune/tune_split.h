// SPDX-License-Identifier: Apache-2.0
// The data of a tuning: training data with the data that validates it, once or for each fold.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "learning/train/training_set.h"
#include "learning/tune/tune_path.h"

namespace dorm {

/// What all splits share, so that their weights can be added.
struct CommonScale {
  Scaling scaling;
  std::shared_ptr<const CurveBasis> basis;  // null: no curves
};

/// The data made ready for lines, or for curves. Weights of curves begin with those of lines, so that the weights of a
/// line are also those of a curve, with rises of 0.
struct TuneSpace {
  TrainingSet set;
  std::unique_ptr<const Scorer> scorer;               // of the validation data
  std::map<std::string, std::vector<double>> starts;  // shared by paths

  TuneSpace(const LearningTask& train, const CommonScale& common, const TunePlan& plan, const KernelOptions& kernel)
      : set(train.data(), common.scaling, plan.options.train.compute.threads, kernel, plan.options.train.solve.seed) {}
};

struct TuneSplit {
  std::unique_ptr<const LearningTask> fold, held_out;  // of this split alone; null: the tasks of the caller
  const LearningTask &train, &validation;
  std::vector<std::unique_ptr<TuneSpace>> spaces;  // of the plan's curves, lines first
  std::mutex mutex;                                // of the initial models
  std::unique_ptr<const TreeGrower> grower;        // made when it is asked for
  std::vector<double> best;                        // validation of the best point before the bound predicted

  TuneSplit(const LearningTask& train_task, const LearningTask& validation_task, const TunePlan& plan,
            const CommonScale& common);
  TuneSplit(std::unique_ptr<const LearningTask> train_part, std::unique_ptr<const LearningTask> held_part,
            const TunePlan& plan, const CommonScale& common);

  /// The space that weights belong to; the first where there are none.
  const TuneSpace& space_of(std::span<const double> w) const;

  /// Which way scores of trees may go with the features of the training data.
  std::vector<std::int8_t> signs(const TrainOptions& options) const;

  /// Shared by paths.
  const TreeGrower& trees_by(const std::shared_ptr<const LightGbm>& library);

  /// By the measure of validation, whatever was trained for.
  EvaluatedWeights evaluate(const TunePlan& plan, TrainOptions options, const TuneSpace& space,
                            std::vector<double> w) const;
  /// The same of scores of the validation documents; equal ones count as in random order.
  std::vector<double> evaluate(const TunePlan& plan, std::span<const double> scores) const;
};
using TuneSplits = std::vector<std::unique_ptr<TuneSplit>>;

/// `validation` is null for folds.
TuneSplits make_splits(const LearningTask& task, const LearningTask* validation, const TunePlan& plan);

}  // namespace dorm

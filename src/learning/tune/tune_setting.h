// SPDX-License-Identifier: Apache-2.0
// What the two halves of Tuning share: settings, and splits of the data.
#pragma once

#include "learning/tune/tune_grid.h"

namespace dorm {

/// What a path is about; the split is left out.
struct Tuning::Setting {
  std::string measure, decay;  // empty for a cheap ranker
  std::optional<Bound> bound;  // nothing: the cheap ranker itself
  Start start;
  std::vector<double> C;  // rising
};

/// Training data with the data that judges it.
struct Tuning::Split {
  const Task &train, &validation;
  TrainingSet set;
  std::unique_ptr<const Scorer> scorer;
  std::mutex mutex;                                   // of the starts
  std::map<std::string, std::vector<double>> starts;  // shared by paths
  std::vector<double> best;                           // validation of the best cell that is judged first

  Split(const Task& train_task, const Task& validation_task, const TrainOptions& options, const Scaling& scaling)
      : train(train_task),
        validation(validation_task),
        set(train.data(), scaling, options.solve.threads, KernelOptions(options), options.solve.seed),
        scorer(set.scorer(validation.data())) {}
};

}  // namespace dorm

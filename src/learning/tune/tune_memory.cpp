// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_memory.h"

#include <algorithm>

#include "base/parallel.h"
#include "learning/tune/tune_curves.h"

namespace dorm {
namespace {

/// Points of the grid under one kernel, at most.
std::size_t most_points(const TuneOptions& options) {
  constexpr std::size_t kInitialModels = 3;  // of best and predicted, together
  constexpr std::size_t kBaselineCs = 4;     // values of C of a baseline
  return options.curves.size() * (std::max<std::size_t>(1, options.measures.size()) * options.decays.size() *
                                      options.bounds.size() * kInitialModels * options.C.size() +
                                  options.initial_models.size() * kBaselineCs);
}

/// A path keeps the planes of its first round beside those of the round it is in, and for a checkpoint a third time.
TrainingLoad load_of(const TuneOptions& options, bool validation, std::size_t functions, std::size_t running) {
  const bool saved = !options.train.checkpoint.empty();
  return {.functions = functions,
          .folds = validation ? 0 : options.folds,
          .running = running,
          .plane_sets = saved ? 3u : 2u,
          .kernels = options.kernels,
          .points = most_points(options),
          .copies_of_points = saved ? 2u : 1u};
}

MemoryPlan planned(const LearningTask& task, const TuneOptions& options, const LearningTask* validation) {
  const std::size_t running = task.threads(thread_count(options.train.compute.threads));
  TuneOptions settled = options;
  if (settled.kernels.empty()) settled.kernels = {options.train.kernel};
  settled.curves = curves_to_try(task, settled);
  settled.train.curves = settled.curves.back();
  return plan_memory(task.data(), validation ? &validation->data() : nullptr, settled.train,
                     load_of(settled, validation != nullptr, task.functions(), running));
}

}  // namespace

MemoryShares shares_of(const LearningTask& task, const TuneOptions& options, const LearningTask* validation) {
  if (options.train.compute.process_memory() == 0) return {.cache = kDefaultCache / (validation ? 1 : options.folds)};
  return planned(task, options, validation).shares;
}

MemoryForecast forecast_memory(const Task& task, const TuneOptions& options, const Task& validation) {
  return planned(task.learning(), options, validation_of(task.learning(), validation)).forecast;
}

}  // namespace dorm

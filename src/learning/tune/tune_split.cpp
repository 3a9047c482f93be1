// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_split.h"

#include <algorithm>
#include <utility>

#include "dorm/data/prepare.h"

namespace dorm {
namespace {

TrainingSet prepared(const LearningTask& task, const TunePlan& plan, const Scaling& scaling) {
  const TrainOptions& options = plan.options.train;
  return {task.data(), scaling, options.compute.threads, KernelOptions(options, plan.shares), options.solve.seed};
}

}  // namespace

TuneSplit::TuneSplit(const LearningTask& train_task, const LearningTask& validation_task, const TunePlan& plan,
                     const Scaling& scaling)
    : train(train_task),
      validation(validation_task),
      set(prepared(train, plan, scaling)),
      scorer(set.scorer(validation.data())) {}

TuneSplit::TuneSplit(std::unique_ptr<const LearningTask> train_part, std::unique_ptr<const LearningTask> held_part,
                     const TunePlan& plan, const Scaling& scaling)
    : fold(std::move(train_part)),
      held_out(std::move(held_part)),
      train(*fold),
      validation(*held_out),
      set(prepared(train, plan, scaling)),
      scorer(set.scorer(validation.data())) {}

EvaluatedWeights TuneSplit::evaluate(const TunePlan& plan, TrainOptions options, std::vector<double> w) const {
  options.measure = plan.options.train.measure;
  EvaluatedWeights evaluated;
  evaluated.per_query = validation.validate(*scorer, w, options).per_query;
  evaluated.w = std::move(w);
  return evaluated;
}

// Scaling knows no labels, so all folds may share that of the whole data: only then can their weights be added.
TuneSplits make_splits(const LearningTask& task, const LearningTask* validation, const TunePlan& plan) {
  const TrainOptions& options = plan.options.train;
  const Scaling scaling = scaling_for(task.data(), {options.scale, options.target}, options.compute.threads,
                                      KernelOptions(options, plan.shares));
  TuneSplits splits;
  if (validation) {
    splits.push_back(std::make_unique<TuneSplit>(task, *validation, plan, scaling));
    return splits;
  }
  const auto parts = folds(task.data(), plan.splits, options.solve.seed);
  for (std::size_t held = 0; held < parts.size(); ++held) {
    std::vector<std::size_t> rest;
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (k != held) rest.insert(rest.end(), parts[k].begin(), parts[k].end());
    std::sort(rest.begin(), rest.end());
    splits.push_back(std::make_unique<TuneSplit>(task.select(rest), task.select(parts[held]), plan, scaling));
  }
  return splits;
}

}  // namespace dorm

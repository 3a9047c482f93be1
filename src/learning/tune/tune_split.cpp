// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_split.h"

#include <algorithm>
#include <utility>

#include "dorm/data/prepare.h"

namespace dorm {
namespace {

std::vector<std::unique_ptr<TuneSpace>> prepared(const LearningTask& train, const LearningTask& validation,
                                                 const TunePlan& plan, const CommonScale& common) {
  std::vector<std::unique_ptr<TuneSpace>> spaces;
  for (const std::string& curves : plan.options.curves) {
    TrainOptions options = plan.options.train;
    options.curves = curves;
    KernelOptions kernel(options, plan.shares);
    kernel.basis = wants_curves(curves) ? common.basis : nullptr;
    TuneSpace& space = *spaces.emplace_back(std::make_unique<TuneSpace>(train, common, plan, kernel));
    space.scorer = space.set.scorer(validation.data());
  }
  return spaces;
}

/// Those that the plan trains on: all but lines, if any.
std::string curves_of(const TunePlan& plan) {
  const auto found = std::find_if(plan.options.curves.begin(), plan.options.curves.end(), wants_curves);
  return found == plan.options.curves.end() ? "none" : *found;
}

}  // namespace

TuneSplit::TuneSplit(const LearningTask& train_task, const LearningTask& validation_task, const TunePlan& plan,
                     const CommonScale& common)
    : train(train_task), validation(validation_task), spaces(prepared(train, validation, plan, common)) {}

TuneSplit::TuneSplit(std::unique_ptr<const LearningTask> train_part, std::unique_ptr<const LearningTask> held_part,
                     const TunePlan& plan, const CommonScale& common)
    : fold(std::move(train_part)),
      held_out(std::move(held_part)),
      train(*fold),
      validation(*held_out),
      spaces(prepared(train, validation, plan, common)) {}

const TuneSpace& TuneSplit::space_of(std::span<const double> w) const {
  if (spaces.size() > 1 && w.size() == spaces.back()->set.features().dimension()) return *spaces.back();
  return *spaces.front();
}

EvaluatedWeights TuneSplit::evaluate(const TunePlan& plan, TrainOptions options, const TuneSpace& space,
                                     std::vector<double> w) const {
  options.measure = plan.options.train.measure;
  EvaluatedWeights evaluated;
  evaluated.per_query = validation.validate(*space.scorer, w, options).per_query;
  evaluated.w = std::move(w);
  return evaluated;
}

std::vector<double> TuneSplit::evaluate(const TunePlan& plan, std::span<const double> scores) const {
  const TrainOptions& options = plan.options.train;
  const EvaluateOptions evaluation{.convention = options.convention,
                                   .ties = options.one_per.empty() ? "expected" : "",
                                   .one_per = options.one_per,
                                   .bootstrap = 0,
                                   .threads = 1};
  const std::vector<std::string> measures = {options.measure};
  return dorm::evaluate(validation.data(), scores, measures, evaluation).measures[0].per_query;
}

std::vector<std::int8_t> TuneSplit::signs(const TrainOptions& options) const {
  std::vector<std::string> features;
  for (std::size_t j = 0; j < train.data().num_features(); ++j) features.push_back(train.data().feature_name(j));
  return signs_of(options.signs, features);
}

const TreeGrower& TuneSplit::trees_by(const std::shared_ptr<const LightGbm>& library) {
  const std::lock_guard lock(mutex);
  if (!grower) grower = std::make_unique<const TreeGrower>(library, train.data(), &validation.data());
  return *grower;
}

// Scaling and knots know no labels, so all folds may share those of the whole data: only then can their weights be
// added.
TuneSplits make_splits(const LearningTask& task, const LearningTask* validation, const TunePlan& plan) {
  TrainOptions options = plan.options.train;
  options.curves = curves_of(plan);
  CommonScale common{scaling_for(task.data(), {options.scale, options.target}, options.compute.threads,
                                 KernelOptions(options, plan.shares)),
                     nullptr};
  if (wants_curves(options.curves)) common.basis = common_basis(task.data(), common.scaling, options);
  TuneSplits splits;
  if (validation) {
    splits.push_back(std::make_unique<TuneSplit>(task, *validation, plan, common));
    return splits;
  }
  const auto parts = folds(task.data(), plan.splits, options.solve.seed);
  for (std::size_t held = 0; held < parts.size(); ++held) {
    std::vector<std::size_t> rest;
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (k != held) rest.insert(rest.end(), parts[k].begin(), parts[k].end());
    std::sort(rest.begin(), rest.end());
    splits.push_back(std::make_unique<TuneSplit>(task.select(rest), task.select(parts[held]), plan, common));
  }
  return splits;
}

}  // namespace dorm

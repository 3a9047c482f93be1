// SPDX-License-Identifier: Apache-2.0
#include "learning/train/task_problem.h"

#include "dorm/error.h"
#include "learning/train/average.h"
#include "learning/train/initial.h"
#include "learning/train/memory.h"

namespace dorm {
namespace {

TrainOptions fitting(const LearningTask& task, TrainOptions options, const LearningTask* validation) {
  require_judge(options, validation != nullptr);
  if (options.kernel == "precomputed") check_precomputed(task.data());
  options.compute.threads = task.threads(options.compute.threads);
  if (options.compute.process_memory() > 0) options.scale = name_of(settle_scaling(task.data(), options));
  return options;
}

MemoryShares shares_of(const LearningTask& task, const TrainOptions& options, const LearningTask* validation) {
  if (options.compute.process_memory() == 0) return {};
  const Dataset* const held_out = validation ? &validation->data() : nullptr;
  return plan_memory(task.data(), held_out, options, {.functions = task.functions()}).shares;
}

KernelOptions watched(KernelOptions options, const MapWatch& watch) {
  options.watch = watch;
  return options;
}

}  // namespace

void require_judge(const TrainOptions& options, bool has_validation) {
  if (options.patience > 0 && !has_validation)
    throw Error(ErrorCode::bad_option, "early stopping needs validation data");
}

TaskProblem::TaskProblem(const LearningTask& task, const TrainOptions& options, const LearningTask* validation,
                         const MapWatch& watch)
    : task_(task),
      options_(fitting(task, options, validation)),
      validation_(validation),
      shares_(shares_of(task, options_, validation)),
      waking_(options.compute.device),
      survey_(task.data()),
      set_(task.data(), {options_.scale, options_.target}, options_.compute.threads,
           watched(KernelOptions(options_, shares_), watch), options_.solve.seed, &survey_),
      risk_(task.risk(set_, options_)) {
  if (validation) scorer_ = set_.scorer(validation->data());
}

DataSummary TaskProblem::summary() const {
  set_.device_rows();  // with which the survey comes
  DataSummary summary = set_.summary();
  summary.fingerprint = survey_.fingerprint();
  summary.statistics = survey_.statistics();
  summary.usable_queries = risk_->num_lists();
  return summary;
}

// The printed algorithm begins at w = 0, and only z0 that depends on scores asks for others.
std::vector<InitialModel> TaskProblem::starts(Bound bound) const {
  if (options_.solve.epsilon > 0 && !depends_on_scores(bound)) return {InitialModel::zero};
  return starts_of(task_, options_, bound);
}

std::vector<double> TaskProblem::start(InitialModel start, double seconds) const {
  if (start == InitialModel::zero) return std::vector(risk_->dimension(), 0.0);
  if (start == InitialModel::model)
    return initial_weights(*options_.initial, set_.model(std::vector(set_.linear_features().dimension(), 0.0)));
  TrainOptions options = options_;
  options.solve.seconds = seconds;
  return task_.start(set_, options, start, {});
}

double TaskProblem::spread(std::span<const double> w) const { return dorm::spread(set_, w); }

MeasureResult TaskProblem::validate(const std::vector<double>& w) const {
  return validation_->validate(*scorer_, w, options_);
}

Model TaskProblem::model(const std::vector<double>& w) const {
  task_.data().require_intact();
  return set_.model(w);
}

}  // namespace dorm

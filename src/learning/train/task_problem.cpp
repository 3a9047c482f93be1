// SPDX-License-Identifier: Apache-2.0
#include "learning/train/task_problem.h"

#include "dorm/error.h"
#include "learning/train/average.h"
#include "learning/train/initial.h"

namespace dorm {
namespace {

TrainOptions fitting(const Task& task, TrainOptions options, const Task* validation) {
  require_judge(options, validation != nullptr);
  if (options.kernel == "precomputed") check_precomputed(task.data());
  options.solve.threads = task.threads(options.solve.threads);
  return options;
}

}  // namespace

void require_judge(const TrainOptions& options, bool has_validation) {
  if (options.patience > 0 && !has_validation)
    throw Error(ErrorCode::bad_option, "early stopping needs validation data");
}

TaskProblem::TaskProblem(const Task& task, const TrainOptions& options, const Task* validation)
    : task_(task),
      options_(fitting(task, options, validation)),
      validation_(validation),
      waking_(options.device),
      survey_(task.data()),
      set_(task.data(), {options.scale, options.target}, options_.solve.threads, KernelOptions(options),
           options.solve.seed, &survey_),
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

std::vector<double> TaskProblem::start(Start start, double seconds) const {
  if (start == Start::model)
    return initial_weights(*options_.initial, set_.model(std::vector(set_.linear_features().dimension(), 0.0)));
  TrainOptions options = options_;
  options.solve.seconds = seconds;
  return task_.start(set_, options, start, {});
}

double TaskProblem::spread(std::span<const double> w) const { return dorm::spread(set_, w); }

MeasureResult TaskProblem::validate(const std::vector<double>& w) const {
  return validation_->judge(*scorer_, w, options_);
}

Model TaskProblem::model(const std::vector<double>& w) const {
  task_.data().require_intact();
  return set_.model(w);
}

}  // namespace dorm

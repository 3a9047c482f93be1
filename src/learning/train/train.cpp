// SPDX-License-Identifier: Apache-2.0
// Training by any task, and initial models by themselves.
#include "dorm/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dorm/error.h"
#include "learning/train/describe.h"
#include "learning/train/sharded_problem.h"
#include "learning/train/task_problem.h"
#include "learning/train/training.h"

namespace dorm {

namespace {

/// Before there is a model to keep: what ends it is an error.
void tell_of_preparation(const TrainObserver& observer, const TimeLimit& limit, double mapped) {
  TrainProgress progress;
  progress.mapped = mapped;
  if (observer && !observer(progress)) throw InterruptedEarly();
  if (limit.over())
    throw Error(
        ErrorCode::bad_option,
        fmt::format("the time limit ended before there was a model: {:.0f} % of the features for the kernel were "
                    "made; expected more time or a smaller approximation",
                    100 * mapped));
}

TrainResult train_here(const LearningTask& task, const TrainOptions& options, const LearningTask* validation,
                       const TrainObserver& observer) {
  const TimeLimit limit(options.solve.seconds);
  const MapWatch watch = [&](double mapped) { tell_of_preparation(observer, limit, mapped); };
  const auto problem = [&] { return std::make_unique<TaskProblem>(task, options, validation, watch); };
  Training training(options, problem, observer);
  training.run();
  const auto describe = [&](const std::vector<double>& w) { return training.model(w); };
  auto [model, positions] = task.learnt(training.weights(), options, describe);
  TrainResult result{std::move(model), training.report(), std::move(positions)};
  result.report.topics = task.topics(training.risk());
  return result;
}

}  // namespace

InterruptedEarly::InterruptedEarly()
    : Error(ErrorCode::unsupported, "the training was interrupted before there was a model") {}

TrainResult train(const Task& task, const TrainOptions& options, const Task& validation,
                  const TrainObserver& observer) {
  const LearningTask& learning = task.learning();
  const LearningTask* const held_out = validation_of(learning, validation);
  learning.check(options, {&options.bound, 1});
  if (options.compute.on_device()) return train_here(learning, for_device(options), held_out, observer);
  const SolverKind solver = options.solve.solver;
  if (learning.sorts() && (solver == parse_solver("shards") || (options.shards > 0 && works_on_shards(solver))))
    return train_in_shards(learning.data(), options, held_out ? &held_out->data() : nullptr, observer);
  return train_here(learning, options, held_out, observer);
}

Model train_initial_model(const Dataset& data, InitialModel start, const TrainOptions& options) {
  options.validate();
  const TimeLimit limit(options.solve.seconds);
  if (options.kernel == "precomputed") check_precomputed(data);
  const TrainingSet set(data, {options.scale, options.target}, options.compute.threads, KernelOptions(options),
                        options.solve.seed);
  const std::vector<double> w = set.fit({.kind = start, .convention = options.convention, .seconds = limit.left()}).w;
  if (std::all_of(w.begin(), w.end(), [](double x) { return x == 0; }))
    throw Error(ErrorCode::bad_input, "no query has documents of different labels: there is nothing to learn from");
  Model model = set.model(w);
  describe(model, {.measure = options.measure,
                   .convention = options.convention,
                   .target = options.target,
                   .start = std::string(name_of(start)),
                   .seed = options.solve.seed,
                   .data = summary_of(data)});
  data.require_intact();
  return model;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Training a ranking by sorting, and the cheap rankers that its rounds start from as models of their own.
#include "dorm/train.h"

#include <algorithm>

#include "dorm/error.h"
#include "learning/train/describe.h"
#include "learning/train/sharded_problem.h"
#include "learning/train/task_problem.h"
#include "learning/train/training.h"

namespace dorm {

namespace {

TrainResult train_here(const Dataset& data, const TrainOptions& options, const Dataset* validation,
                       const TrainObserver& observer) {
  const RankingTask task(data);
  std::optional<RankingTask> held_out;
  if (validation) held_out.emplace(*validation);
  const auto problem = [&] { return std::make_unique<TaskProblem>(task, options, held_out ? &*held_out : nullptr); };
  Training training(options, problem, observer);
  training.run();
  return {training.model(training.weights()), training.report()};
}

}  // namespace

TrainResult train(const Dataset& data, const TrainOptions& options, const Dataset* validation,
                  const TrainObserver& observer) {
  require_given(options, {&options.bound, 1});
  require_estimable(data, options);
  if (options.compute.device != "cpu") return train_here(data, for_device(options), validation, observer);
  if (options.solve.solver == parse_solver("shards")) return train_in_shards(data, options, validation, observer);
  return train_here(data, options, validation, observer);
}

Model train_start(const Dataset& data, Start start, const TrainOptions& options) {
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

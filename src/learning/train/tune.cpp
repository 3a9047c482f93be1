// SPDX-License-Identifier: Apache-2.0
// Choosing options: the cells of a grid are judged, one is chosen, and the training is done again with its options.
#include <fmt/format.h>

#include <algorithm>

#include "base/stopwatch.h"
#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/train/choose.h"
#include "learning/train/list_task.h"
#include "learning/train/tune_grid.h"

namespace dorm {
namespace {

/// What to train for when a measure is to be judged by. Measures of which one document, or only a count, decides teach
/// little; a graded measure over the same positions is tried first, and kept where validation cannot tell.
std::vector<std::string> training_measures(const std::string& judged, const Convention& convention) {
  const std::string name = make_trainable(judged, convention)->name();
  if (name.starts_with("mrr")) return {"ndcg@10", judged};
  if (name.starts_with("wta")) return {"mwta", judged};
  if (name.starts_with("precision@"))
    return {"ndcg" + name.substr(name.find('@'), name.find(':') - name.find('@')), judged};
  return {judged};
}

/// The cells of the grid, one of them chosen, and the options that it stands for.
struct Decision {
  std::vector<TuneCell> cells;
  TrainOptions refit;
  double validation = 0;  // of the chosen cell
};

// Of a time limit; the rest is for the refit.
constexpr double kGridShare = 0.75;

Decision decide(const Task& task, const TuneOptions& options, std::vector<std::string> measures, const Task* validation,
                const TuneObserver& observer) {
  const TimeLimit limit(options.train.solve.seconds);
  TuneOptions grid = options;
  grid.train.solve.seconds *= kGridShare;
  if (grid.measures.empty()) grid.measures = std::move(measures);
  if (grid.kernels.empty()) grid.kernels = {options.train.kernel};
  if (std::find(grid.kernels.begin(), grid.kernels.end(), "precomputed") != grid.kernels.end())
    check_precomputed(task.data());
  Decision decision{judge_grid(task, grid, validation, observer), options.train};
  TuneCell& winner = choose(decision.cells, grid);
  winner.chosen = true;
  decision.validation = winner.validation;
  TrainOptions& refit = decision.refit;
  refit.measure = winner.measure;
  refit.decay = winner.decay;
  refit.bound = winner.bound;
  refit.start = winner.start;
  refit.kernel = winner.kernel;
  if (!KernelOptions(refit).used()) refit.approximation = "none";
  refit.C = winner.C;
  refit.solve.seconds = limit.left();
  return decision;
}

}  // namespace

void TuneOptions::validate() const {
  TrainOptions each = train;
  for (double value : C) each.C = value, each.validate();
  for (const std::string& name : decays) each.decay = name, each.validate();
  for (const BoundChoice& bound : bounds) each.bound = bound, each.validate();
  for (const std::string& name : measures) each.measure = name, each.validate();
  for (const std::string& name : kernels) each.kernel = name, each.validate();
  if (C.empty() || decays.empty() || bounds.empty())
    throw Error(ErrorCode::bad_option, "the grid is empty; expected at least one C, decay and bound");
  if (folds < 2) throw Error(ErrorCode::bad_option, fmt::format("folds is {}; expected at least 2", folds));
}

TuneResult tune(const Dataset& data, const TuneOptions& options, const Dataset* validation,
                const TuneObserver& observer, const TrainObserver& refit_observer) {
  options.validate();
  const RankingTask task(data);
  std::optional<RankingTask> held_out;
  if (validation) held_out.emplace(*validation);
  Decision decision =
      decide(task, options, training_measures(options.train.measure, make_convention(options.train.convention)),
             held_out ? &*held_out : nullptr, observer);
  TrainResult trained = train(data, decision.refit, validation, refit_observer);
  // Of the measure asked for, whatever was trained for.
  if (validation) trained.model.validation = decision.validation;
  return {std::move(trained.model), std::move(trained.report), std::move(decision.cells)};
}

PositionTuneResult tune_positions(const Dataset& data, const PositionGains& gains, const TuneOptions& options,
                                  bool one_function, const JudgedPositions* validation, const TuneObserver& observer,
                                  const TrainObserver& refit_observer) {
  options.validate();
  const PositionTask task(data, gains, one_function);
  std::optional<PositionTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->gains, one_function);
  Decision decision = decide(task, options, {options.train.measure}, held_out ? &*held_out : nullptr, observer);
  for (TuneCell& cell : decision.cells) cell.measure = task.measure_name(options.train);
  PositionResult trained = train_positions(data, gains, decision.refit, one_function, validation, refit_observer);
  return {std::move(trained.model), std::move(trained.report), std::move(decision.cells)};
}

// NOLINTNEXTLINE(readability-function-size): as train_topics()
TuneResult tune_topics(const Dataset& data, const TopicTable& topics, std::size_t positions, const TuneOptions& options,
                       const TopicOptions& topic_options, TopicReport* report, const JudgedTopics* validation,
                       const TuneObserver& observer, const TrainObserver& refit_observer) {
  options.validate();
  const TopicTask task(data, topics, positions, topic_options);
  std::optional<TopicTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->topics, positions, topic_options);
  Decision decision = decide(task, options, {options.train.measure}, held_out ? &*held_out : nullptr, observer);
  TrainResult trained =
      train_topics(data, topics, positions, decision.refit, topic_options, report, validation, refit_observer);
  return {std::move(trained.model), std::move(trained.report), std::move(decision.cells)};
}

}  // namespace dorm

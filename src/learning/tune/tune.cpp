// SPDX-License-Identifier: Apache-2.0
// Tuning: the cells of a grid are judged, and the model is made of the judged weights.
#include <fmt/format.h>

#include <optional>

#include "base/stopwatch.h"
#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/train/list_task.h"
#include "learning/tune/tune_grids.h"

namespace dorm {
namespace {

/// What to train for when a measure is to be judged by. Measures of which one document, or only a count, decides teach
/// little; a graded measure over the same positions is tried first, and kept where validation cannot tell.
std::vector<std::string> training_measures(const std::string& judged, const Convention& convention) {
  const FactoredMeasurePtr measure = make_trainable(judged, convention);
  if (measure->linear_in_labels()) return {judged};
  const std::string name = measure->name();
  if (name.starts_with("mrr")) return {"ndcg@10", judged};
  if (name.starts_with("wta")) return {"mwta", judged};
  if (name.starts_with("precision@"))
    return {"ndcg" + name.substr(name.find('@'), name.find(':') - name.find('@')), judged};
  return {judged};
}

/// Of a model that consists of judged weights.
TrainReport report_of(const Model& model, const Stopwatch& watch) {
  TrainReport report;
  report.dropped_queries = model.data.queries - model.data.usable_queries;
  report.seconds = watch.seconds();
  return report;
}

/// The judged weights, or what `train_again` makes of the winner.
template <class TrainAgain>
TuneResult ranker_of(const TuneGrids& grids, const Stopwatch& watch, const TrainAgain& train_again) {
  TuneResult result{grids.outcome(), {}};
  if (grids.kept().delivers()) {
    result.model = grids.kept().model(grids.weights(), grids.validation());
    result.report = report_of(result.model, watch);
  } else {
    TrainResult trained = train_again();
    trained.model.validation = grids.validation();
    result.model = std::move(trained.model);
    result.report = std::move(trained.report);
    result.refitted = true;
  }
  grids.finish(result);
  return result;
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
  require_given(train, bounds);
  if (folds < 2) throw Error(ErrorCode::bad_option, fmt::format("folds is {}; expected at least 2", folds));
}

TuneResult tune(const Dataset& data, const TuneOptions& options, const Dataset* validation,
                const TuneObserver& observer, const TrainObserver& refit_observer) {
  options.validate();
  const Stopwatch watch;
  require_estimable(data, options.train);
  const RankingTask task(data);
  std::optional<RankingTask> held_out;
  if (validation) held_out.emplace(*validation);
  TuneGrids grids(task, options, training_measures(options.train.measure, make_convention(options.train.convention)),
                  held_out ? &*held_out : nullptr);
  grids.run(observer);
  return ranker_of(grids, watch, [&] { return train(data, grids.refit(), nullptr, refit_observer); });
}

PositionTuneResult tune_positions(const Dataset& data, const PositionGains& gains, const TuneOptions& options,
                                  bool one_function, const JudgedPositions* validation, const TuneObserver& observer,
                                  const TrainObserver& refit_observer) {
  options.validate();
  require_no_target(options.train);
  const Stopwatch watch;
  const PositionTask task(data, gains, one_function);
  std::optional<PositionTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->gains, one_function);
  TuneGrids grids(task, options, {options.train.measure}, held_out ? &*held_out : nullptr);
  grids.run(observer);
  PositionTuneResult result{grids.outcome(), {}};
  for (GridPoint& cell : result.cells) cell.measure = task.measure_name(options.train);
  for (PrunedPoint& cell : result.pruned) cell.measure = task.measure_name(options.train);
  if (grids.kept().delivers()) {
    result.model = task.model(grids.weights(), grids.refit(),
                              [&](const std::vector<double>& w) { return grids.kept().model(w, grids.validation()); });
    result.report = report_of(result.model.shared, watch);
  } else {
    PositionResult trained = train_positions(data, gains, grids.refit(), one_function, nullptr, refit_observer);
    trained.model.shared.validation = grids.validation();
    result.model = std::move(trained.model);
    result.report = std::move(trained.report);
    result.refitted = true;
  }
  grids.finish(result);
  return result;
}

// NOLINTNEXTLINE(readability-function-size): as train_topics()
TuneResult tune_topics(const Dataset& data, const TopicTable& topics, std::size_t positions, const TuneOptions& options,
                       const TopicOptions& topic_options, TopicReport* report, const JudgedTopics* validation,
                       const TuneObserver& observer, const TrainObserver& refit_observer) {
  options.validate();
  require_no_target(options.train);
  const Stopwatch watch;
  const TopicTask task(data, topics, positions, topic_options);
  std::optional<TopicTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->topics, positions, topic_options);
  TuneGrids grids(task, options, {options.train.measure}, held_out ? &*held_out : nullptr);
  grids.run(observer);
  return ranker_of(grids, watch, [&] {
    return train_topics(data, topics, positions, grids.refit(), topic_options, report, nullptr, refit_observer);
  });
}

}  // namespace dorm

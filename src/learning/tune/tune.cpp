// SPDX-License-Identifier: Apache-2.0
// Tuning: the points of a grid are evaluated, and the model is made of the weights that were evaluated.
#include "dorm/tune.h"

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "learning/tune/kernel_search.h"
#include "learning/tune/tune_curves.h"

namespace dorm {
namespace {

/// Of a model that consists of weights that were evaluated.
TrainReport report_of(const Model& model, const Stopwatch& watch) {
  TrainReport report;
  report.dropped_queries = model.data.queries - model.data.usable_queries;
  report.seconds = watch.seconds();
  return report;
}

void check_trees(const LearningTask& task, const TuneOptions& options) {
  const bool linear = options.kernels.empty() ? options.train.kernel == "none" && !options.train.kernel_function
                                              : options.kernels == std::vector<std::string>{"none"};
  if (!task.sorts() || !linear)
    throw Error(ErrorCode::bad_option,
                fmt::format("trees stand beside linear rankers of sorted rankings, not beside {}",
                            task.sorts() ? "kernels" : std::string(task.kind())));
  if (options.train.own_measure)
    throw Error(ErrorCode::bad_option, "trees are validated by a measure with a name, not by a custom one");
  if (options.train.compute.on_device())
    throw Error(ErrorCode::bad_option, "trees are grown on the CPU; expected the device cpu");
  load_lightgbm(options.lightgbm);  // before anything is trained
}

}  // namespace

void TuneOptions::validate() const {
  TrainOptions each = train;
  for (double value : C) each.C = value, each.validate();
  for (const std::string& name : decays) each.decay = name, each.validate();
  for (const BoundChoice& bound : bounds) each.bound = bound, each.validate();
  for (const std::string& name : measures) each.measure = name, each.validate();
  for (const std::string& name : kernels) each.kernel = name, each.validate();
  validate_curves(*this);
  if (C.empty() || decays.empty() || bounds.empty())
    throw Error(ErrorCode::bad_option, "the grid is empty; expected at least one C, decay and bound");
  require_given(train, bounds);
  for (const std::size_t leaves : tree_leaves) GrowOptions{.leaves = leaves}.validate();
  if (!tree_losses.empty() && tree_leaves.empty())
    throw Error(ErrorCode::bad_option, "the grid of trees is empty; expected at least one number of leaves");
  if (folds < 2) throw Error(ErrorCode::bad_option, fmt::format("folds is {}; expected at least 2", folds));
}

TuneResult tune(const Task& task, const TuneOptions& options, const Task& validation, const TuneObserver& observer,
                const TrainObserver& refit_observer) {
  options.validate();
  const LearningTask& learning = task.learning();
  const LearningTask* const held_out = validation_of(learning, validation);
  learning.check(options.train, options.bounds);
  if (!options.tree_losses.empty()) check_trees(learning, options);
  const Stopwatch watch;
  KernelSearch search(learning, options, learning.training_measures(options.train), held_out);
  search.run(observer);
  TuneResult result = search.result();
  if (search.plan().delivers()) {
    if (search.delivered().trees) {
      result.model = search.kept().model(search.delivered(), search.validation());
    } else {
      const auto describe = [&](const std::vector<double>& w) { return search.kept().model(w, search.validation()); };
      auto [model, positions] = learning.learnt(search.delivered().w, search.refit(), describe);
      result.model = std::move(model);
      result.positions = std::move(positions);
    }
    result.report = report_of(result.model, watch);
  } else {
    TrainResult trained = train(task, search.refit(), {}, refit_observer);
    trained.model.validation = search.validation();
    if (trained.positions) trained.positions->shared.validation = search.validation();
    result.model = std::move(trained.model);
    result.positions = std::move(trained.positions);
    result.report = std::move(trained.report);
    result.refitted = true;
  }
  if (result.positions) {  // whose measure no option names
    for (GridPoint& point : result.points) point.measure = learning.measure_name(options.train);
    for (PrunedPoint& point : result.pruned) point.measure = learning.measure_name(options.train);
  }
  search.finish(result);
  return result;
}

void test_tuned(TuneResult& result, const TuneOptions& options, const Dataset& test, const TestedFigure& drawn) {
  if (result.positions)
    throw Error(ErrorCode::unsupported, "slates are not tested on queries set aside; dorm split divides the file");
  const EvaluateOptions how{.convention = options.train.convention, .threads = options.train.compute.threads};
  const std::vector<std::string> measures = {options.train.measure};
  const std::vector<double> scores = score(result.model, test, options.train.compute);
  const MeasureResult figure = evaluate(test, scores, measures, how).measures.front();
  TestedFigure tested = drawn;
  tested.measure = figure.name;
  tested.mean = figure.mean;
  tested.low = figure.low;
  tested.high = figure.high;
  tested.queries = figure.queries;
  result.model.tested = std::move(tested);
}

std::string worth_text(const TreesWorth& worth, std::string_view measure) {
  const std::string figures = fmt::format(
      "{:+.4f} [{:+.4f}, {:+.4f}] {} on your data: linear {:.4f}, trees {:.4f}, with both {:.4f}", worth.difference,
      worth.low, worth.high, measure, worth.linear.mean, worth.trees.mean, worth.linear.mean + worth.difference);
  if (worth.low > 0) return "trees are worth " + figures;
  if (worth.high < 0) return "trees cost " + figures;
  return "a linear model may do: trees are not shown to be worth anything, " + figures;
}

std::string_view reason_of(Pruned why) {
  switch (why) {
    case Pruned::no_information:
      return "at a smaller C the bound carried no information";
    case Pruned::no_better:
      return "a smaller C did no better than the one before it";
    case Pruned::far_behind:
      return "at a smaller C it was too far behind the best to have a share";
    case Pruned::cut_short:
      return "the end came while it was trained";
    case Pruned::not_reached:
      break;
  }
  return "the end came before its turn";
}

}  // namespace dorm

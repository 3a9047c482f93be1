// SPDX-License-Identifier: Apache-2.0
// Tuning: the cells of a grid are judged, and the model is made of the judged weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

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

/// Of a time limit, where the winner is trained again; the rest is for that.
constexpr double kGridShare = 0.75;

/// A grid under each kernel in turn, since each has its Gram matrix or features, and the one that is kept.
class Grids {
 public:
  Grids(const Task& task, const TuneOptions& options, std::vector<std::string> measures, const Task* validation)
      : task_(task), options_(options), validation_(validation), limit_(options.train.solve.seconds) {
    if (options_.measures.empty()) options_.measures = std::move(measures);
    if (options_.kernels.empty()) options_.kernels = {options.train.kernel};
    options_.train.initial = nullptr;  // of a refit
    if (std::find(options_.kernels.begin(), options_.kernels.end(), "precomputed") != options_.kernels.end())
      check_precomputed(task.data());
  }

  void run(const TuneObserver& observer) {
    const bool linear = options_.kernels == std::vector<std::string>{"none"} && !options_.train.kernel_function;
    const bool refits = !validation_ && !(task_.sorts() && linear);
    const TimeLimit judging(options_.train.solve.seconds * (refits ? kGridShare : 1.0));
    for (std::size_t k = 0; k < options_.kernels.size() && (k == 0 || !judging.over()); ++k)
      if (!judge(k, observer, judging)) break;
    if (!kept_) throw Error(ErrorCode::bad_input, "tuning was stopped before any candidate was judged");
    if (std::isnan(cells_.front().validation))
      throw Error(ErrorCode::bad_input, fmt::format("no validation query counts for {}: none has a relevant document",
                                                    options_.train.measure));
  }

  const Tuning& kept() const { return *kept_; }
  const std::vector<double>& weights() const { return delivered_.w; }
  double validation() const { return moments_of(delivered_.per_query).mean; }

  /// Of all kernels; shares are those of the one that is kept.
  std::vector<TuneCell> cells() const { return cells_; }

  /// What to train the winner by, where judged weights make no model.
  TrainOptions refit() const {
    const TuneCell& winner = kept_->leader();
    TrainOptions refit = options_.train;
    refit.measure = winner.measure;
    refit.decay = winner.decay;
    refit.bound = winner.bound;
    refit.start = winner.start;
    refit.kernel = winner.kernel;
    if (!KernelOptions(refit).used()) refit.approximation = "none";
    refit.C = winner.C;
    refit.solve.seconds = limit_.left();
    return refit;
  }

 private:
  /// Whether to go on.
  bool judge(std::size_t k, const TuneObserver& observer, const TimeLimit& limit) {
    options_.train.kernel = options_.kernels[k];
    auto tuning = std::make_unique<Tuning>(task_, options_, validation_, limit, k == 0);
    tuning->run([&](TuneProgress progress) {
      progress.done += k * progress.total;
      progress.total *= options_.kernels.size();
      if (std::isnan(best_) || progress.best > best_) best_ = progress.best;
      progress.best = best_;
      return !observer || observer(progress);
    });
    const bool go_on = !tuning->stopped();
    if (!tuning->cells().empty()) keep_better(std::move(tuning));
    return go_on;
  }

  /// A later kernel must be ahead by more than one standard error of the paired difference.
  void keep_better(std::unique_ptr<Tuning> tuning) {
    Tuning::Delivered delivered{{}, tuning->leader().per_query};
    if (tuning->delivers()) delivered = tuning->deliver();
    const bool keep = !kept_ || behind(delivered_.per_query, delivered.per_query);
    if (keep)
      for (TuneCell& cell : cells_) cell.share = 0;
    for (TuneCell cell : tuning->cells()) {
      if (!keep) cell.share = 0;
      cells_.push_back(std::move(cell));
    }
    if (!keep) return;
    kept_ = std::move(tuning);
    delivered_ = std::move(delivered);
  }

  const Task& task_;
  TuneOptions options_;
  const Task* validation_;
  TimeLimit limit_;
  std::unique_ptr<Tuning> kept_;
  Tuning::Delivered delivered_;
  std::vector<TuneCell> cells_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
};

/// Of a model that consists of judged weights.
TrainReport report_of(const Model& model, const Stopwatch& watch) {
  TrainReport report;
  report.dropped_queries = model.data.queries - model.data.usable_queries;
  report.seconds = watch.seconds();
  return report;
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
  const RankingTask task(data);
  std::optional<RankingTask> held_out;
  if (validation) held_out.emplace(*validation);
  Grids grids(task, options, training_measures(options.train.measure, make_convention(options.train.convention)),
              held_out ? &*held_out : nullptr);
  grids.run(observer);
  if (grids.kept().delivers()) {
    Model model = grids.kept().model(grids.weights(), grids.validation());
    TrainReport report = report_of(model, watch);
    return {std::move(model), std::move(report), grids.cells()};
  }
  TrainResult trained = train(data, grids.refit(), nullptr, refit_observer);
  trained.model.validation = grids.validation();
  return {std::move(trained.model), std::move(trained.report), grids.cells(), true};
}

PositionTuneResult tune_positions(const Dataset& data, const PositionGains& gains, const TuneOptions& options,
                                  bool one_function, const JudgedPositions* validation, const TuneObserver& observer,
                                  const TrainObserver& refit_observer) {
  options.validate();
  const Stopwatch watch;
  const PositionTask task(data, gains, one_function);
  std::optional<PositionTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->gains, one_function);
  Grids grids(task, options, {options.train.measure}, held_out ? &*held_out : nullptr);
  grids.run(observer);
  PositionTuneResult result;
  result.cells = grids.cells();
  for (TuneCell& cell : result.cells) cell.measure = task.measure_name(options.train);
  if (grids.kept().delivers()) {
    result.model = task.model(grids.weights(), grids.refit(),
                              [&](const std::vector<double>& w) { return grids.kept().model(w, grids.validation()); });
    result.report = report_of(result.model.shared, watch);
    return result;
  }
  PositionResult trained = train_positions(data, gains, grids.refit(), one_function, nullptr, refit_observer);
  trained.model.shared.validation = grids.validation();
  result.model = std::move(trained.model);
  result.report = std::move(trained.report);
  result.refitted = true;
  return result;
}

// NOLINTNEXTLINE(readability-function-size): as train_topics()
TuneResult tune_topics(const Dataset& data, const TopicTable& topics, std::size_t positions, const TuneOptions& options,
                       const TopicOptions& topic_options, TopicReport* report, const JudgedTopics* validation,
                       const TuneObserver& observer, const TrainObserver& refit_observer) {
  options.validate();
  const Stopwatch watch;
  const TopicTask task(data, topics, positions, topic_options);
  std::optional<TopicTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->topics, positions, topic_options);
  Grids grids(task, options, {options.train.measure}, held_out ? &*held_out : nullptr);
  grids.run(observer);
  if (grids.kept().delivers()) {
    Model model = grids.kept().model(grids.weights(), grids.validation());
    TrainReport train_report = report_of(model, watch);
    return {std::move(model), std::move(train_report), grids.cells()};
  }
  TrainResult trained =
      train_topics(data, topics, positions, grids.refit(), topic_options, report, nullptr, refit_observer);
  trained.model.validation = grids.validation();
  return {std::move(trained.model), std::move(trained.report), grids.cells(), true};
}

}  // namespace dorm

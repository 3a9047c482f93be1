// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "evaluation/bootstrap.h"
#include "learning/train/choose.h"
#include "model/kernel/feature_map.h"

namespace dorm {
namespace {

/// Of a time limit, where the winner is trained again; the rest is for that.
constexpr double kGridShare = 0.75;

TuneOptions settled(const Task& task, TuneOptions options, std::vector<std::string> measures) {
  if (options.measures.empty()) options.measures = std::move(measures);
  if (options.kernels.empty()) options.kernels = {options.train.kernel};
  options.train.initial = nullptr;  // of a refit
  options.train = for_device(std::move(options.train));
  if (std::find(options.kernels.begin(), options.kernels.end(), "precomputed") != options.kernels.end())
    check_precomputed(task.data());
  return options;
}

template <class List, class Name>
std::string joined(const List& list, const Name& name) {
  std::string text;
  for (const auto& each : list) text += fmt::format("{}{}", text.empty() ? "" : "/", name(each));
  return text;
}

/// What decides the cells of a grid, beside the options of each training.
std::string grid_identity(const Task& task, const TuneOptions& options, const Task* validation) {
  const auto same = [](const auto& value) { return value; };
  const auto named = [](const auto& value) { return name_of(value); };
  const std::string problem = task.identity();
  return fmt::format("{}{}grid C={},decay={},bound={},ranker={},measure={},kernel={} validated on {}", problem,
                     problem.empty() ? "" : " ", joined(options.C, same), joined(options.decays, same),
                     joined(options.bounds, named), joined(options.rankers, named), joined(options.measures, same),
                     joined(options.kernels, same),
                     validation ? fmt::format("data {:016x}{}", validation->data().fingerprint(),
                                              validation->identity() == problem ? "" : " " + validation->identity())
                                : fmt::format("{} folds", options.folds));
}

ValidatedFigure figure_of(std::span<const double> per_query) {
  const Moments moments = moments_of(per_query);
  const std::vector<double> weights(per_query.size(), 1.0);
  const Interval interval = bootstrap(std::span(&per_query, 1), weights, {}).front();
  const auto counted =
      std::count_if(per_query.begin(), per_query.end(), [](double value) { return !std::isnan(value); });
  return {moments.mean, moments.standard_error, interval.low, interval.high, static_cast<std::size_t>(counted)};
}

}  // namespace

TuneGrids::TuneGrids(const Task& task, const TuneOptions& options, std::vector<std::string> measures,
                     const Task* validation, const TimeLimit::Clock& clock)
    : task_(task),
      options_(settled(task, options, std::move(measures))),
      validation_(validation),
      limit_(options.train.solve.seconds, clock),
      judging_(options.train.solve.seconds * (refits() ? kGridShare : 1.0), clock),
      checkpoint_(options_, options_.train.checkpoint.empty() ? 0 : task.data().fingerprint(),
                  options_.train.checkpoint.empty() ? "" : grid_identity(task, options_, validation)) {}

bool TuneGrids::refits() const {
  const bool linear = options_.kernels == std::vector<std::string>{"none"} && !options_.train.kernel_function;
  return !validation_ && !(task_.sorts() && linear);
}

/// Of a cell, relative to that of a linear ranker.
double TuneGrids::cost_of(const std::string& kernel) const {
  if (kernel == "none" && !options_.train.kernel_function) return 1;
  const Dataset& data = task_.data();
  if (options_.train.approximation == "none") return exact_kernel_cost(data.num_documents(), data.num_features());
  const auto size = static_cast<double>(parse_approximation(options_.train.approximation).size);
  return std::max(1.0, size / static_cast<double>(std::max<std::size_t>(1, data.num_features())));
}

void TuneGrids::run(const TuneObserver& observer) {
  ledger_.emplace(observer, judging_, task_.threads(options_.train.solve.threads));
  for (const std::string& kernel : options_.kernels) {
    TuneOptions grid = options_;
    grid.train.kernel = kernel;
    const std::size_t number = ledger_->add_kernel(cost_of(kernel));
    tunings_.push_back(std::make_unique<Tuning>(task_, std::move(grid), validation_, number, *ledger_, checkpoint_));
  }
  ledger_->note_resumed();
  for (std::size_t k = 0; k < tunings_.size(); ++k) judge(k);
  checkpoint_.flush(ledger_->num_judged(), ledger_->num_cells());
  if (!kept_) throw Error(ErrorCode::bad_input, "tuning was stopped before any grid point was validated");
  moments_of_delivered_ = moments_of(delivered_.per_query).mean;
  if (std::isnan(cells_.front().validation))
    throw Error(ErrorCode::bad_input,
                fmt::format("no validation query counts for {}: none has a relevant document", options_.train.measure));
}

/// A grid that is not begun may have been judged by an earlier run.
void TuneGrids::judge(std::size_t k) {
  Tuning& tuning = *tunings_[k];
  if (k == 0 || !ledger_->over() || tuning.knows_cells()) tuning.run(k == 0);
  const std::vector<PrunedPoint> pruned = tuning.pruned();
  pruned_.insert(pruned_.end(), pruned.begin(), pruned.end());
  if (!tuning.cells().empty()) keep_better(std::move(tunings_[k]));
  tunings_[k].reset();
}

/// A later kernel must be ahead by more than one standard error of the paired difference.
void TuneGrids::keep_better(std::unique_ptr<Tuning> tuning) {
  Tuning::Delivered delivered{{}, tuning->leader().per_query};
  if (tuning->delivers()) delivered = tuning->deliver();
  const bool keep = !kept_ || behind(delivered_.per_query, delivered.per_query);
  if (keep)
    for (GridPoint& cell : cells_) cell.share = 0;
  for (GridPoint cell : tuning->cells()) {
    if (!keep) cell.share = 0;
    cells_.push_back(std::move(cell));
  }
  if (!keep) return;
  kept_ = std::move(tuning);
  kept_->rest();
  delivered_ = std::move(delivered);
}

TuneOutcome TuneGrids::outcome() const {
  TuneOutcome out;
  out.cells = cells_;
  out.pruned = pruned_;
  out.validated = figure_of(delivered_.per_query);
  out.resumed = ledger_->num_resumed();
  out.choice = kept_->choice();
  const auto left = [](const PrunedPoint& cell) {
    return cell.why == Pruned::cut_short || cell.why == Pruned::not_reached;
  };
  const bool cut_short = cells_.front().cut_short || std::any_of(pruned_.begin(), pruned_.end(), left);
  if (cut_short) out.end = ledger_->stopped() ? TuneEnd::stopped : TuneEnd::time_limit;
  return out;
}

TrainOptions TuneGrids::refit() const {
  const GridPoint& winner = kept_->leader();
  TrainOptions refit = options_.train;
  refit.measure = winner.measure;
  refit.decay = winner.decay;
  refit.bound = winner.bound;
  refit.start = winner.start;
  refit.kernel = winner.kernel;
  if (!KernelOptions(refit).used()) refit.approximation = "none";
  refit.C = winner.C;
  refit.checkpoint.clear();  // that of the cells
  refit.solve.seconds = limit_.left();
  return refit;
}

void TuneGrids::finish(const TuneOutcome& outcome) const {
  if (outcome.end == TuneEnd::whole && outcome.report.finished && !options_.train.keep_checkpoint) checkpoint_.remove();
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

// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/kernel_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"
#include "learning/tune/choose.h"
#include "learning/tune/tune_curves.h"
#include "model/kernel/feature_map.h"

namespace dorm {
namespace {

/// Of a time limit, where the winner is trained again; the rest is for that.
constexpr double kGridShare = 0.75;

TuneOptions settled(const LearningTask& task, TuneOptions options, std::vector<std::string> measures) {
  if (options.measures.empty()) options.measures = std::move(measures);
  if (options.kernels.empty()) options.kernels = {options.train.kernel};
  options.curves = curves_to_try(task, options);
  options.train.initial = nullptr;  // of a refit
  options.train = for_device(std::move(options.train));
  if (options.train.compute.process_memory() > 0)
    options.train.scale = name_of(settle_scaling(task.data(), options.train));
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

/// As it was before there were curves in the grid, where there is no choice of them.
std::string curves_identity(const TuneOptions& options) {
  if (options.curves.size() == 1 && options.curves.front() == options.train.curves) return "";
  return fmt::format(",curves={}", joined(options.curves, [](const std::string& curves) { return curves; }));
}

std::string trees_identity(const TuneOptions& options) {
  if (options.tree_losses.empty()) return "";
  return fmt::format(",trees={},leaves={}", joined(options.tree_losses, [](TreeLoss loss) { return name_of(loss); }),
                     joined(options.tree_leaves, [](std::size_t leaves) { return leaves; }));
}

/// What decides the points of a grid, beside the options of each training.
std::string grid_identity(const LearningTask& task, const TuneOptions& options, const LearningTask* validation) {
  const auto same = [](const auto& value) { return value; };
  const auto named = [](const auto& value) { return name_of(value); };
  const std::string problem = task.identity();
  return fmt::format("{}{}grid C={},decay={},bound={},initial={},measure={},kernel={}{}{} validated on {}", problem,
                     problem.empty() ? "" : " ", joined(options.C, same), joined(options.decays, same),
                     joined(options.bounds, named), joined(options.initial_models, named),
                     joined(options.measures, same), joined(options.kernels, same), trees_identity(options),
                     curves_identity(options),
                     validation ? fmt::format("data {:016x}{}", validation->data().fingerprint(),
                                              validation->identity() == problem ? "" : " " + validation->identity())
                                : fmt::format("{} folds", options.folds));
}

}  // namespace

KernelSearch::KernelSearch(const LearningTask& task, const TuneOptions& options, std::vector<std::string> measures,
                           const LearningTask* validation, const TimeLimit::Clock& clock)
    : task_(task),
      options_(settled(task, options, std::move(measures))),
      validation_(validation),
      limit_(options.train.solve.seconds, clock),
      grid_limit_(options.train.solve.seconds * (refits() ? kGridShare : 1.0), clock),
      shares_(shares_of(task, options_, validation)),
      checkpoint_(options_, options_.train.checkpoint.empty() ? 0 : task.data().fingerprint(),
                  options_.train.checkpoint.empty() ? "" : grid_identity(task, options_, validation)) {}

bool KernelSearch::refits() const {
  const bool linear = options_.kernels == std::vector<std::string>{"none"} && !options_.train.kernel_function;
  return !validation_ && !(task_.sorts() && linear);
}

/// Cost of a grid point, relative to that of a linear ranker.
double KernelSearch::cost_of(const std::string& kernel) const {
  if (kernel == "none" && !options_.train.kernel_function) return 1;
  const Dataset& data = task_.data();
  if (options_.train.approximation == "none") return exact_kernel_cost(data.num_documents(), data.num_features());
  const auto size = static_cast<double>(parse_approximation(options_.train.approximation).size);
  return std::max(1.0, size / static_cast<double>(std::max<std::size_t>(1, data.num_features())));
}

void KernelSearch::run(const TuneObserver& observer) {
  ledger_.emplace(observer, grid_limit_, task_.threads(options_.train.compute.threads));
  for (const std::string& kernel : options_.kernels) {
    TuneOptions grid = options_;
    grid.train.kernel = kernel;
    const std::size_t number = ledger_->add_kernel(cost_of(kernel));
    runs_.push_back(std::make_unique<TuneRun>(task_, make_plan(task_, std::move(grid), validation_ != nullptr, shares_),
                                              validation_, number, *ledger_, checkpoint_));
  }
  ledger_->note_resumed();
  for (std::size_t k = 0; k < runs_.size(); ++k) run_kernel(k);
  checkpoint_.flush(ledger_->num_evaluated(), ledger_->num_points());
  if (!kept_) throw Error(ErrorCode::bad_input, "tuning was stopped before any grid point was validated");
  validation_of_delivered_ = moments_of(delivered_.per_query).mean;
  if (std::isnan(points_.front().validation))
    throw Error(ErrorCode::bad_input,
                fmt::format("no validation query counts for {}: none has a relevant document", options_.train.measure));
}

/// A kernel that is not begun may have been evaluated by an earlier run.
void KernelSearch::run_kernel(std::size_t k) {
  if (k == 0 || !ledger_->over() || runs_[k]->knows_points()) runs_[k]->run(k == 0);
  TuneRun& run = *runs_[k];
  auto tuned = std::make_unique<Tuned>(Tuned{std::move(runs_[k]), TuneRunResult(run)});
  const std::vector<PrunedPoint> pruned = tuned->result.pruned();
  pruned_.insert(pruned_.end(), pruned.begin(), pruned.end());
  if (!tuned->result.points().empty()) keep_better(std::move(tuned));
}

/// A later kernel must be ahead by more than one standard error of the paired difference.
void KernelSearch::keep_better(std::unique_ptr<Tuned> tuned) {
  const TuneRunResult& result = tuned->result;
  TuneRunResult::Delivered delivered{{}, nullptr, result.leader().per_query};
  if (tuned->run->plan().delivers()) delivered = result.deliver();
  const bool keep = !kept_ || behind(delivered_.per_query, delivered.per_query);
  if (keep)
    for (GridPoint& point : points_) point.share = 0;
  for (GridPoint point : result.points()) {
    if (!keep) point.share = 0;
    points_.push_back(std::move(point));
  }
  if (!keep) return;
  if (result.has_trees() && tuned->run->plan().delivers()) weigh_trees(result);
  kept_ = std::move(tuned);
  kept_->result.release();
  delivered_ = std::move(delivered);
}

/// By the rule of choice, with and without trees.
void KernelSearch::weigh_trees(const TuneRunResult& result) {
  const auto linear = result.deliver(Family::linear), trees = result.deliver(Family::trees),
             all = result.deliver(Family::any);
  if (linear.w.empty() || linear.trees) return;  // no linear point was evaluated
  TreesWorth worth{figure_of(linear.per_query), figure_of(trees.per_query)};
  std::vector<double> gains(all.per_query.size());
  for (std::size_t q = 0; q < gains.size(); ++q) gains[q] = all.per_query[q] - linear.per_query[q];
  const ValidatedFigure difference = figure_of(gains);
  worth.difference = difference.mean;
  worth.low = difference.low;
  worth.high = difference.high;
  worth_ = worth;
  linear_ = result.model(linear.w, worth.linear.mean);
}

TuneResult KernelSearch::result() const {
  TuneResult out;
  out.points = points_;
  out.pruned = pruned_;
  out.validated = figure_of(delivered_.per_query);
  out.resumed = ledger_->num_resumed();
  out.choice = plan().choice();
  out.worth = worth_;
  out.linear = linear_;
  const auto left = [](const PrunedPoint& point) {
    return point.why == Pruned::cut_short || point.why == Pruned::not_reached;
  };
  const bool cut_short = points_.front().cut_short || std::any_of(pruned_.begin(), pruned_.end(), left);
  if (cut_short) out.end = ledger_->stopped() ? TuneEnd::stopped : TuneEnd::time_limit;
  return out;
}

TrainOptions KernelSearch::refit() const {
  const GridPoint& winner = kept_->result.leader();
  TrainOptions refit = options_.train;
  refit.measure = winner.measure;
  refit.decay = winner.decay;
  refit.bound = winner.bound;
  refit.start = winner.start;
  refit.kernel = winner.kernel;
  if (!KernelOptions(refit).used()) refit.approximation = "none";
  refit.C = winner.C;
  refit.checkpoint.clear();  // that of the grid points
  refit.solve.seconds = limit_.left();
  return refit;
}

void KernelSearch::finish(const TuneResult& result) const {
  if (result.end == TuneEnd::whole && result.report.finished && !options_.train.keep_checkpoint) checkpoint_.remove();
}

}  // namespace dorm

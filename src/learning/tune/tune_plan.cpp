// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_plan.h"

#include <algorithm>
#include <numeric>

#include "dorm/error.h"

namespace dorm {
namespace {

const std::vector<double> kRidgeC = {10, 100, 1000, 10000};
const std::vector<double> kPairwiseCs = {1, 10, 100};

/// Labels have the gains that a ranker on gains needs, and these differ from the labels.
bool gains_differ(const Dataset& data, const Convention& convention) {
  if (convention.gain == Gain::linear) return false;
  try {
    const FactoredMeasurePtr gains = make_trainable("dcg", convention);
    for (std::size_t q = 0; q < data.num_queries(); ++q) gains->factor(data.query(q).labels);
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool is_ridge(InitialModel model) { return model == InitialModel::ridge || model == InitialModel::ridge_gain; }

bool on_gains(InitialModel model) { return model == InitialModel::ridge_gain || model == InitialModel::pairwise_gain; }

std::vector<std::pair<Bound, InitialModel>> bounds_to_train(const LearningTask& task, const TuneOptions& options) {
  std::vector<std::pair<Bound, InitialModel>> candidates;
  const auto add = [&](Bound bound) {
    for (const InitialModel start : starts_of(task, options.train, bound))
      if (const std::pair candidate(bound, start);
          std::find(candidates.begin(), candidates.end(), candidate) == candidates.end())
        candidates.push_back(candidate);
  };
  for (const BoundChoice& bound : options.bounds) {
    if (bound != Bound::predicted) add(bound.value_or(Bound::best));
    if (!bound || bound == Bound::predicted) add(Bound::predicted);
  }
  return candidates;
}

/// Whether all are of one bound.
bool alike(const std::vector<std::pair<Bound, InitialModel>>& candidates) {
  return std::all_of(candidates.begin(), candidates.end(),
                     [&](const auto& each) { return each.first == candidates.front().first; });
}

// Curves beside lines are what takes less time: not the bound predicted beside another, and no ridge regression.
void make_settings(const LearningTask& task, TunePlan& plan) {
  const TuneOptions& options = plan.options;
  std::vector<double> grid = options.C;
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  const auto candidates = bounds_to_train(task, options);
  const bool initial = plan.sorts && plan.delivers();
  const bool gains = initial && gains_differ(task.data(), make_convention(options.train.convention));
  for (std::size_t space = 0; space < options.curves.size(); ++space) {
    for (const std::string& measure : options.measures)
      for (const std::string& decay : options.decays)
        for (const auto& [bound, start] : candidates)
          if (space == 0 || bound != Bound::predicted || alike(candidates))
            plan.settings.push_back({measure, decay, bound, start, grid, std::nullopt, space});
    if (!initial) continue;
    for (const InitialModel model : options.initial_models)
      if ((gains || !on_gains(model)) && (space == 0 || !is_ridge(model)))
        plan.settings.push_back(
            {"", "", std::nullopt, model, is_ridge(model) ? kRidgeC : kPairwiseCs, std::nullopt, space});
  }
}

/// Those whose loss can use the labels.
void add_trees(const LearningTask& task, TunePlan& plan) {
  std::vector<double> leaves(plan.options.tree_leaves.begin(), plan.options.tree_leaves.end());
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  for (const TreeLoss loss : plan.options.tree_losses)
    if (fits(loss, task.data())) plan.settings.push_back({"", "", std::nullopt, InitialModel::ridge, leaves, loss});
}

// Initial models first, unless an exact kernel makes them expensive; predicted, which takes longest, last.
void order_settings(TunePlan& plan) {
  const int initial = KernelOptions(plan.options.train).exact() ? 1 : -1;
  const auto stage = [&](std::size_t s) {
    const PathSetting& setting = plan.settings[s];
    if (setting.trees) return 1;
    if (setting.space > 0 && setting.bound != Bound::predicted) return 1;
    return !setting.bound ? initial : setting.bound == Bound::predicted ? 2 : 0;
  };
  plan.order.resize(plan.settings.size());
  std::iota(plan.order.begin(), plan.order.end(), std::size_t{0});
  std::stable_sort(plan.order.begin(), plan.order.end(),
                   [&](std::size_t a, std::size_t b) { return stage(a) < stage(b); });
}

}  // namespace

TuneForecast::Sort PathSetting::sort() const {
  if (trees) return TuneForecast::Sort::trees;
  if (bound) return bound == Bound::predicted ? TuneForecast::Sort::predicted : TuneForecast::Sort::bound;
  return is_ridge(start) ? TuneForecast::Sort::ridge : TuneForecast::Sort::pairs;
}

bool TunePlan::delivers() const { return !folded || (sorts && !KernelOptions(options.train).used()); }

Choice TunePlan::choice() const {
  return options.choice == Choice::average && !(sorts && delivers()) ? Choice::steady : options.choice;
}

TrainOptions TunePlan::options_of(const PathSetting& setting, double seconds) const {
  TrainOptions each = options.train;
  if (setting.bound) {
    each.measure = setting.measure;
    each.decay = setting.decay;
  }
  each.curves = curves_of(setting);
  each.compute.threads = 1;
  each.solve.seconds = seconds;
  return each;
}

TunePlan make_plan(const LearningTask& task, TuneOptions options, bool validation, const MemoryShares& shares) {
  const std::size_t splits = validation ? 1 : options.folds;
  TunePlan plan{.options = std::move(options),
                .folded = !validation,
                .sorts = task.sorts(),
                .splits = splits,
                .shares = shares,
                .settings = {},
                .order = {}};
  make_settings(task, plan);
  add_trees(task, plan);
  order_settings(plan);
  return plan;
}

}  // namespace dorm

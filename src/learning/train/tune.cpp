// SPDX-License-Identifier: Apache-2.0
// Kernels are tried one after the other, since each has its Gram matrix or features. For one, the grid is cut into
// paths: one (split, measure, decay, bound, start) each, solved over rising C with a warm start. Paths run in parallel
// and do not see each other, so the choice does not depend on the number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/train.h"
#include "learning/train/choose.h"
#include "learning/train/fit.h"
#include "learning/train/training_set.h"
#include "model/scorer.h"

namespace dorm {
namespace {

constexpr int kHalvings = 2;

/// What a path is about; the split is left out.
struct Setting {
  std::string measure, decay, bound, start;
};

/// Training data with the data that judges it.
struct Split {
  TrainingSet set;
  std::unique_ptr<const Scorer> scorer;

  Split(const Dataset& train, const Dataset& validation, const TrainOptions& options)
      : set(train, options.scale, options.threads, KernelOptions(options), options.seed),
        scorer(set.scorer(validation)) {}
};

struct Judged {
  std::vector<double> per_query;  // NaN where the measure skips the query
  double health = 0;
};

class Tuning {
 public:
  Tuning(const Dataset& data, const TuneOptions& options, const Dataset* validation, const TuneObserver& observer)
      : options_(options), observer_(observer) {
    if (validation)
      splits_.push_back(std::make_unique<Split>(data, *validation, options.train));
    else
      make_folds(data);
    for (const std::string& measure : options.measures)
      for (const std::string& decay : options.decays)
        for (const auto& [bound, start] : candidates()) settings_.push_back({measure, decay, bound, start});
    for (const auto& split : splits_)
      for (const Setting& setting : settings_)
        split->set.start(setting.start);  // shared by paths, so made before they run
  }

  std::vector<TuneCell> run() {
    std::vector<double> grid = options_.C;
    std::sort(grid.begin(), grid.end());
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
    total_ = settings_.size() * splits_.size() * grid.size();
    std::vector<TuneCell> cells = judge(settings_, grid);
    const int halvings = options_.refine ? kHalvings : 0;
    for (int halving = 0; halving < halvings && !cells.empty() && !stopped_; ++halving) {
      const TuneCell& best = *std::max_element(cells.begin(), cells.end(), worse);
      const double step = std::pow(10.0, std::ldexp(1.0, -halving - 1));
      total_ += 2 * splits_.size();
      const Setting setting{best.measure, best.decay, best.bound, best.start};
      const std::vector<TuneCell> finer = judge({setting}, {best.C / step, best.C * step});
      cells.insert(cells.end(), finer.begin(), finer.end());
    }
    return cells;
  }

  bool stopped() const { return stopped_; }

 private:
  std::vector<std::pair<std::string, std::string>> candidates() const {
    std::vector<std::pair<std::string, std::string>> out;
    const auto add = [&](const std::string& bound, const std::string& start) {
      const std::string& fixed = options_.train.start;
      const std::pair candidate(bound, fixed == "auto" ? start : fixed);
      if (std::find(out.begin(), out.end(), candidate) == out.end()) out.push_back(candidate);
    };
    for (const std::string& bound : options_.bounds) {
      if (bound != "predicted") add(bound == "auto" ? "best" : bound, "ridge");
      if (bound != "predicted" && bound != "auto") continue;
      add("predicted", "ridge");
      add("predicted", "pairwise");
    }
    return out;
  }

  void make_folds(const Dataset& data) {
    const auto parts = folds(data, options_.folds, options_.train.seed);
    TrainOptions each = options_.train;
    each.cache_bytes /= parts.size();
    for (std::size_t held = 0; held < parts.size(); ++held) {
      std::vector<std::size_t> rest;
      for (std::size_t k = 0; k < parts.size(); ++k)
        if (k != held) rest.insert(rest.end(), parts[k].begin(), parts[k].end());
      std::sort(rest.begin(), rest.end());
      splits_.push_back(std::make_unique<Split>(data.select(rest), data.select(parts[held]), each));
    }
  }

  /// Every setting at every C; cells that were not judged on all splits are left out.
  std::vector<TuneCell> judge(const std::vector<Setting>& settings, const std::vector<double>& grid) {
    const std::size_t paths = settings.size() * splits_.size();
    std::vector<std::vector<Judged>> judged(paths);
    parallel_for(paths, options_.train.threads, [&](std::size_t path, std::size_t) {
      judged[path] = run_path(*splits_[path % splits_.size()], settings[path / splits_.size()], grid);
    });
    std::vector<TuneCell> cells;
    for (std::size_t s = 0; s < settings.size(); ++s)
      for (std::size_t k = 0; k < grid.size(); ++k) {
        std::vector<const Judged*> parts;
        for (std::size_t split = 0; split < splits_.size(); ++split)
          if (const auto& path = judged[s * splits_.size() + split]; k < path.size()) parts.push_back(&path[k]);
        if (parts.size() == splits_.size()) cells.push_back(cell(settings[s], grid[k], parts));
      }
    return cells;
  }

  std::vector<Judged> run_path(const Split& split, const Setting& setting, const std::vector<double>& grid) {
    std::vector<Judged> judged;
    if (stopped_) return judged;
    const auto measure = make_trainable(setting.measure, make_convention(options_.train.convention));
    RankingRisk risk(split.set.features(), *measure, Decay(setting.decay), 1, OracleKind::automatic,
                     limits_of(split.set.features().data(), options_.train));
    FitOptions fit;
    fit.bound = parse_bound(setting.bound);
    fit.rounds = options_.train.rounds;
    fit.keep_first_round = true;
    fit.solve.solver = parse_solver(options_.train.solver);
    fit.solve.tolerance = options_.train.tolerance;
    fit.solve.max_passes = options_.train.max_passes;
    fit.solve.seed = options_.train.seed;
    fit.keep_first_round = true;
    fit.solve.plane_bytes = options_.train.plane_bytes;
    SolverState warm;
    double previous = 0;
    for (double C : grid) {
      if (stopped_) break;
      risk.set_trade_off(trade_off(C, options_.train.paper_C, split.set, risk));
      if (!warm.empty()) warm.rescale(C / previous);
      const RoundsObserver running = [this](const RoundsState&, const Progress&) { return !stopped_.load(); };
      Fitted fitted = fit_bound(risk, fit, split.set.known_start(setting.start), running, {}, std::move(warm));
      if (fitted.status == "interrupted") break;
      judged.push_back({validate(split, fitted.w), fitted.health});
      tell(judged.back());
      warm = std::move(fitted.first_round);
      previous = C;
    }
    return judged;
  }

  std::vector<double> validate(const Split& split, const std::vector<double>& w) const {
    const EvaluateOptions evaluation{
        .convention = options_.train.convention, .one_per = options_.train.one_per, .bootstrap = 0, .threads = 1};
    const std::vector<std::string> measure = {options_.train.measure};
    return evaluate(split.scorer->data(), split.scorer->scores(w, 1), measure, evaluation).measures[0].per_query;
  }

  void tell(const Judged& judged) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (const double mean = moments_of(judged.per_query).mean; std::isnan(best_) || mean > best_) best_ = mean;
    if (observer_ && !observer_({done_, total_, best_})) stopped_ = true;
  }

  TuneCell cell(const Setting& setting, double C, const std::vector<const Judged*>& parts) const {
    TuneCell cell;
    cell.kernel = options_.train.kernel;
    cell.measure = setting.measure;
    cell.decay = setting.decay;
    cell.bound = setting.bound;
    cell.start = setting.start;
    cell.C = C;
    for (const Judged* part : parts) {
      cell.per_query.insert(cell.per_query.end(), part->per_query.begin(), part->per_query.end());
      cell.health += part->health / static_cast<double>(parts.size());
    }
    const Moments moments = moments_of(cell.per_query);
    cell.validation = moments.mean;
    cell.standard_error = moments.standard_error;
    return cell;
  }

  static bool worse(const TuneCell& a, const TuneCell& b) { return a.validation < b.validation; }

  const TuneOptions& options_;
  const TuneObserver& observer_;
  std::vector<std::unique_ptr<Split>> splits_;
  std::vector<Setting> settings_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::size_t done_ = 0, total_ = 0;
  double best_ = std::numeric_limits<double>::quiet_NaN();
};

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

/// The cells of every kernel in turn.
std::vector<TuneCell> judge_kernels(const Dataset& data, TuneOptions grid, const Dataset* validation,
                                    const TuneObserver& observer) {
  std::vector<TuneCell> cells;
  double best = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < grid.kernels.size(); ++k) {
    grid.train.kernel = grid.kernels[k];
    const TuneObserver relay = [&](TuneProgress progress) {
      progress.done += k * progress.total;
      progress.total *= grid.kernels.size();
      if (std::isnan(best) || progress.best > best) best = progress.best;
      progress.best = best;
      return !observer || observer(progress);
    };
    Tuning tuning(data, grid, validation, relay);
    const std::vector<TuneCell> judged = tuning.run();
    cells.insert(cells.end(), judged.begin(), judged.end());
    if (tuning.stopped()) break;
  }
  if (cells.empty()) throw Error(ErrorCode::bad_input, "tuning was stopped before any candidate was judged");
  if (std::isnan(cells.front().validation))
    throw Error(ErrorCode::bad_input,
                fmt::format("no validation query counts for {}: none has a relevant document", grid.train.measure));
  return cells;
}

}  // namespace

void TuneOptions::validate() const {
  TrainOptions each = train;
  for (double value : C) each.C = value, each.validate();
  for (const std::string& name : decays) each.decay = name, each.validate();
  for (const std::string& name : bounds) each.bound = name, each.validate();
  for (const std::string& name : measures) each.measure = name, each.validate();
  for (const std::string& name : kernels) each.kernel = name, each.validate();
  if (C.empty() || decays.empty() || bounds.empty())
    throw Error(ErrorCode::bad_option, "the grid is empty; expected at least one C, decay and bound");
  if (folds < 2) throw Error(ErrorCode::bad_option, fmt::format("folds is {}; expected at least 2", folds));
}

TuneResult tune(const Dataset& data, const TuneOptions& options, const Dataset* validation,
                const TuneObserver& observer, const TrainObserver& refit_observer) {
  options.validate();
  TuneOptions grid = options;
  if (grid.measures.empty())
    grid.measures = training_measures(options.train.measure, make_convention(options.train.convention));
  if (grid.kernels.empty()) grid.kernels = {options.train.kernel};
  if (std::find(grid.kernels.begin(), grid.kernels.end(), "precomputed") != grid.kernels.end()) check_precomputed(data);
  TuneResult result;
  result.cells = judge_kernels(data, grid, validation, observer);
  choose(result.cells, grid).chosen = true;
  const TuneCell& winner =
      *std::find_if(result.cells.begin(), result.cells.end(), [](const TuneCell& cell) { return cell.chosen; });
  TrainOptions refit = options.train;
  refit.measure = winner.measure;
  refit.decay = winner.decay;
  refit.bound = winner.bound;
  refit.start = winner.start;
  refit.kernel = winner.kernel;
  if (!KernelOptions(refit).used()) refit.approximation = "none";
  refit.C = winner.C;
  TrainResult trained = train(data, refit, validation, refit_observer);
  result.model = std::move(trained.model);
  result.report = std::move(trained.report);
  if (validation) result.model.validation = winner.validation;  // of the measure asked for, whatever was trained for
  return result;
}

}  // namespace dorm

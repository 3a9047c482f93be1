// SPDX-License-Identifier: Apache-2.0
#include "learning/train/tune_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "learning/train/choose.h"
#include "learning/train/rounds.h"

namespace dorm {
namespace {

constexpr int kHalvings = 2;

/// What a path is about; the split is left out.
struct Setting {
  std::string measure, decay;
  Bound bound;
  Start start;
};

/// Training data with the data that judges it.
struct Split {
  const Task &train, &validation;
  TrainingSet set;
  std::unique_ptr<const Scorer> scorer;
  std::map<std::string, std::vector<double>> starts;  // shared by paths, so made before they run

  Split(const Task& train_task, const Task& validation_task, const TrainOptions& options)
      : train(train_task),
        validation(validation_task),
        set(train.data(), options.scale, options.solve.threads, KernelOptions(options), options.solve.seed),
        scorer(set.scorer(validation.data())) {}
};

struct Judged {
  std::vector<double> per_query;  // NaN where the measure skips the query
  double health = 0;
};

class Tuning {
 public:
  /// `must_judge`: the first cell, even when the time is over.
  Tuning(const Task& task, const TuneOptions& options, const Task* validation, const TuneObserver& observer,
         const TimeLimit& limit, bool must_judge)
      : options_(options),
        threads_(task.threads(options.train.solve.threads)),
        observer_(observer),
        limit_(limit),
        must_judge_(must_judge) {
    if (validation)
      splits_.push_back(std::make_unique<Split>(task, *validation, options.train));
    else
      make_folds(task);
    for (const std::string& measure : options.measures)
      for (const std::string& decay : options.decays)
        for (const auto& [bound, start] : candidates(task)) settings_.push_back({measure, decay, bound, start});
    for (const auto& split : splits_)
      for (const Setting& setting : settings_)
        if (!limit_.over() || (must_judge_ && &setting == &settings_.front())) make_start(*split, setting);
  }

  std::vector<TuneCell> run() {
    std::vector<double> grid = options_.C;
    std::sort(grid.begin(), grid.end());
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
    total_ = settings_.size() * splits_.size() * grid.size();
    std::vector<TuneCell> cells = judge(settings_, grid, must_judge_);
    const int halvings = options_.refine ? kHalvings : 0;
    for (int halving = 0; halving < halvings && !cells.empty() && !stopped_ && !limit_.over(); ++halving) {
      const TuneCell& best = *std::max_element(cells.begin(), cells.end(), worse);
      const double step = std::pow(10.0, std::ldexp(1.0, -halving - 1));
      total_ += 2 * splits_.size();
      const Setting setting{best.measure, best.decay, best.bound, best.start};
      const std::vector<TuneCell> finer = judge({setting}, {best.C / step, best.C * step}, false);
      cells.insert(cells.end(), finer.begin(), finer.end());
    }
    return cells;
  }

  bool stopped() const { return stopped_; }

 private:
  std::vector<std::pair<Bound, Start>> candidates(const Task& task) const {
    std::vector<std::pair<Bound, Start>> out;
    const auto add = [&](Bound bound) {
      for (const Start start : starts_of(task, options_.train, bound))
        if (const std::pair candidate(bound, start); std::find(out.begin(), out.end(), candidate) == out.end())
          out.push_back(candidate);
    };
    for (const BoundChoice& bound : options_.bounds) {
      if (bound != Bound::predicted) add(bound.value_or(Bound::best));
      if (!bound || bound == Bound::predicted) add(Bound::predicted);
    }
    return out;
  }

  void make_folds(const Task& task) {
    const auto parts = folds(task.data(), options_.folds, options_.train.solve.seed);
    TrainOptions each = options_.train;
    each.cache_bytes /= parts.size();
    for (std::size_t held = 0; held < parts.size(); ++held) {
      std::vector<std::size_t> rest;
      for (std::size_t k = 0; k < parts.size(); ++k)
        if (k != held) rest.insert(rest.end(), parts[k].begin(), parts[k].end());
      std::sort(rest.begin(), rest.end());
      const Task& train = *folds_.emplace_back(task.select(rest));
      const Task& held_out = *folds_.emplace_back(task.select(parts[held]));
      splits_.push_back(std::make_unique<Split>(train, held_out, each));
    }
  }

  void make_start(Split& split, const Setting& setting) const {
    const TrainOptions options = options_of(setting);
    const auto [found, unknown] = split.starts.try_emplace(split.train.start_key(options, setting.start));
    if (unknown) found->second = split.train.start(split.set, options, setting.start);
  }

  /// For one thread, since paths run side by side, and the time that is left.
  TrainOptions options_of(const Setting& setting) const {
    TrainOptions options = options_.train;
    options.measure = setting.measure;
    options.decay = setting.decay;
    options.solve.threads = 1;
    options.solve.seconds = limit_.left();
    return options;
  }

  /// Every setting at every C; cells that were not judged on all splits are left out.
  std::vector<TuneCell> judge(const std::vector<Setting>& settings, const std::vector<double>& grid, bool must_judge) {
    const std::size_t paths = settings.size() * splits_.size();
    std::vector<std::vector<Judged>> judged(paths);
    parallel_for(paths, threads_, [&](std::size_t path, std::size_t) {
      judged[path] = run_path(*splits_[path % splits_.size()], settings[path / splits_.size()], grid,
                              must_judge && path < splits_.size());
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

  std::vector<Judged> run_path(const Split& split, const Setting& setting, const std::vector<double>& grid,
                               bool must_judge) {
    std::vector<Judged> judged;
    const TrainOptions options = options_of(setting);
    const auto start = split.starts.find(split.train.start_key(options, setting.start));
    if (stopped_ || start == split.starts.end() || (limit_.over() && !must_judge)) return judged;
    const std::unique_ptr<ReferencedRisk> risk = split.train.risk(split.set, options);
    const UnitsOfC units = split.set.units(options.paper_C);
    RoundsOptions rounds{
        .bound = setting.bound, .rounds = options.rounds, .solve = options.solve, .keep_first_round = true};
    const RoundsObserver running = [this](const RoundsState&, const Progress&) { return !stopped_.load(); };
    SolverState warm;
    double previous = 0;
    for (double C : grid) {
      if (stopped_ || (limit_.over() && !(must_judge && judged.empty()))) break;
      rounds.solve.seconds = limit_.left();
      risk->set_trade_off(units.trade_off(C, risk->num_blocks()));
      if (!warm.empty()) warm.rescale(C / previous);
      Fitted fitted = run_rounds(*risk, rounds, start->second, running, {}, std::move(warm));
      if (fitted.report.status == SolveStatus::interrupted) break;
      judged.push_back({validate(split, options, fitted.w), fitted.health()});
      tell(judged.back());
      warm = std::move(fitted.first_round);
      previous = C;
    }
    return judged;
  }

  std::vector<double> validate(const Split& split, TrainOptions options, const std::vector<double>& w) const {
    options.measure = options_.train.measure;
    return split.validation.judge(*split.scorer, w, options).per_query;
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
  std::size_t threads_;
  const TuneObserver& observer_;
  const TimeLimit& limit_;
  bool must_judge_;
  std::vector<std::unique_ptr<const Task>> folds_;
  std::vector<std::unique_ptr<Split>> splits_;
  std::vector<Setting> settings_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::size_t done_ = 0, total_ = 0;
  double best_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::vector<TuneCell> judge_grid(const Task& task, TuneOptions grid, const Task* validation,
                                 const TuneObserver& observer) {
  grid.train.initial = nullptr;  // of the refit
  const TimeLimit limit(grid.train.solve.seconds);
  std::vector<TuneCell> cells;
  double best = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < grid.kernels.size() && (k == 0 || !limit.over()); ++k) {
    grid.train.kernel = grid.kernels[k];
    const TuneObserver relay = [&](TuneProgress progress) {
      progress.done += k * progress.total;
      progress.total *= grid.kernels.size();
      if (std::isnan(best) || progress.best > best) best = progress.best;
      progress.best = best;
      return !observer || observer(progress);
    };
    Tuning tuning(task, grid, validation, relay, limit, k == 0);
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

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// How the paths of a grid are run: side by side, saved as they go, and cut short when the time is over
// or somebody asks.
#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "dorm/error.h"
#include "learning/solver/solver_table.h"
#include "learning/train/average.h"
#include "learning/train/choose.h"
#include "learning/tune/tune_setting.h"

namespace dorm {
namespace {

// A bound that carries no information at this C or a larger one is given up; below, w = 0 is near for any bound.
constexpr double kTellingC = 10;

double mean_of(const JudgedWeights& judged) { return moments_of(judged.per_query).mean; }

}  // namespace

void Tuning::run(bool must_judge) {
  must_judge_ = must_judge && !knows_cells();
  make_splits();
  const auto poll_by = [this](const std::function<void()>& first, const std::function<void()>& others) {
    for (const auto& split : splits_) {
      split->set.poll_by(split == splits_.front() ? first : others);
      split->scorer->poll_by(split == splits_.front() ? first : others);
    }
  };
  poll_by([this] { poll(must_judge_ && !has_one_); }, [this] { poll(false); });
  ledger_.tell();
  run_paths(false);
  note_best();
  run_paths(true);
  poll_by({}, {});
  gather();
}

/// Inside long computations. With `must_judge`, which there is nothing to deliver without, they may only
/// be asked to end.
void Tuning::poll(bool must_judge) {
  ledger_.tell_now_and_then();
  if (cut(must_judge)) throw CutShort{};
}

/// Whether what was just computed, or is about to be, is not wanted.
bool Tuning::cut(bool must_judge) const { return ledger_.stopped() || (ledger_.over() && !must_judge); }

/// Those of the bound predicted, which take longest, or all others.
void Tuning::run_paths(bool predicted) {
  std::vector<std::size_t> paths;
  for (const std::size_t s : order_)
    if ((settings_[s].bound == Bound::predicted) == predicted)
      for (std::size_t split = 0; split < num_splits_; ++split) paths.push_back(s * num_splits_ + split);
  parallel_for(paths.size(), threads_, [&](std::size_t k, std::size_t) {
    const std::size_t number = paths[k];
    const bool must_judge = must_judge_ && number == order_.front() * num_splits_;
    if (!paths_[number].open() || cut(must_judge && paths_[number].cells.empty())) return;
    try {
      setting_of(number).bound ? run_rounds_path(number, must_judge) : run_cheap_path(number, must_judge);
    } catch (const CutShort&) {
      cut_[number] = true;
    }
  });
}

/// Of the cells judged so far, on each split.
void Tuning::note_best() {
  for (std::size_t p = 0; p < paths_.size(); ++p)
    for (const JudgedWeights& each : paths_[p].cells) {
      if (each.explained_risk < kDegenerate || setting_of(p).bound == Bound::predicted) continue;
      std::vector<double>& best = splits_[p % num_splits_]->best;
      if (best.empty() || mean_of(each) > moments_of(best).mean) best = each.per_query;
    }
}

void Tuning::run_cheap_path(std::size_t number, bool must_judge) {
  const Split& split = *splits_[number % num_splits_];
  const Setting& setting = setting_of(number);
  const Stopwatch watch;
  const TrainOptions options = options_of(setting);
  const StopAsked stop = [this] {
    ledger_.tell_now_and_then();
    return ledger_.over();
  };
  std::vector<CheapFit> fits = split.set.fit_path({.kind = setting.start,
                                                   .convention = options.convention,
                                                   .C = setting.C,
                                                   .tolerance = options.solve.tolerance,
                                                   .seconds = ledger_.limit().left(),
                                                   .stop = stop,
                                                   .threads = 1});
  if (cut(must_judge)) throw CutShort{};
  const bool cut_short = ledger_.over();
  std::vector<JudgedWeights> judged;
  for (CheapFit& fit : fits) {
    JudgedWeights& each = judged.emplace_back(judge(split, options, std::move(fit.w)));
    each.cut_short = cut_short;
    if (fit.report.passes == 0) continue;
    const SolveReport report = split.set.units().objective(fit.report);
    each.certificate = {report.primal, report.dual, report.gap, std::string(name_of(report.status))};
  }
  keep(number, std::move(judged), watch.seconds(), nullptr);
}

/// Shared by the paths of a split, so that the second to ask waits for the first.
std::vector<double> Tuning::start_of(Split& split, const Setting& setting, bool must_judge) {
  const TrainOptions options = options_of(setting);
  const std::lock_guard lock(split.mutex);
  const std::string key = split.train.start_key(options, setting.start);
  if (const auto found = split.starts.find(key); found != split.starts.end()) return found->second;
  const StopAsked stop = [this] {
    ledger_.tell_now_and_then();
    return ledger_.over();
  };
  std::vector<double> w = split.train.start(split.set, options, setting.start, stop);
  if (cut(must_judge)) throw CutShort{};  // nor is the start what it would have been
  return split.starts[key] = std::move(w);
}

/// Of the path's last C, for the next one.
SolverState Tuning::warm_state(const JudgedPath& path, double factor, const ReferencedRisk& risk) const {
  SolverState warm = *path.warm;
  warm.rescale(factor);
  try {
    check_state(risk, options_.train.solve, warm);
  } catch (const Error& error) {
    checkpoint_.refuse(error.what());
  }
  return warm;
}

void Tuning::run_rounds_path(std::size_t number, bool must_judge) {
  Split& split = *splits_[number % num_splits_];
  const Setting& setting = setting_of(number);
  Stopwatch watch;
  const TrainOptions options = options_of(setting);
  const std::vector<double> start = start_of(split, setting, must_judge);
  const std::unique_ptr<ReferencedRisk> risk = split.train.risk(split.set, options);
  const UnitsOfC units = split.set.units(options.paper_C);
  RoundsOptions rounds{
      .bound = *setting.bound, .rounds = options.rounds, .solve = options.solve, .keep_first_round = true};
  const RoundsObserver running = [this](const RoundsState&, const Progress&) {
    ledger_.tell();
    return !ledger_.over();
  };
  JudgedPath& path = paths_[number];  // changed by this thread alone
  SolverState warm;
  for (std::size_t k = path.cells.size(); k < setting.C.size() && path.open(); ++k, watch = Stopwatch()) {
    const double C = setting.C[k];
    if (cut(must_judge && k == 0)) throw CutShort{};
    rounds.solve.seconds = ledger_.limit().left();
    risk->set_trade_off(units.trade_off(C, risk->num_blocks()));
    if (path.warm)
      warm = warm_state(path, C / setting.C[k - 1], *risk);
    else if (!warm.empty())
      warm.rescale(C / setting.C[k - 1]);
    Fitted fitted = run_rounds(*risk, rounds, start, running, {}, std::exchange(warm, {}));
    // Told to stop, a solver looks once more where it stands; converged there, it has not ended where it would have.
    const bool cut_short = fitted.unfinished() || ledger_.over();
    if (cut_short && cut(must_judge && k == 0)) throw CutShort{};
    JudgedWeights each = judge(split, options, std::move(fitted.w));
    each.explained_risk = fitted.explained_risk();
    each.rounds = fitted.objectives.size();
    each.usable_queries = risk->num_blocks();
    each.certificate = {units.objective(fitted.report.primal), units.objective(fitted.report.dual), fitted.report.gap,
                        std::string(fitted.status())};
    each.cut_short = cut_short;
    std::shared_ptr<const SolverState> saved;
    if (checkpoint_.used())
      saved = std::make_shared<SolverState>(std::move(fitted.first_round));
    else
      warm = std::move(fitted.first_round);
    keep(number, {std::move(each)}, watch.seconds(), std::move(saved));
    if (cut_short) throw CutShort{};
  }
}

// A path is given up where its bound carries no information, where a larger C does no better, and where it is so far
// behind what was judged before that it would have no share.
PathEnd Tuning::end_of(const Split& split, const Setting& setting, const JudgedPath& path) const {
  const JudgedWeights& last = path.cells.back();
  if (last.cut_short) return PathEnd::open;
  if (setting.bound) {
    if (setting.C[path.cells.size() - 1] >= kTellingC && last.explained_risk < kDegenerate)
      return PathEnd::no_information;
    if (!split.best.empty() && far_behind(last.per_query, split.best)) return PathEnd::far_behind;
    if (path.cells.size() > 1 && mean_of(last) <= mean_of(path.cells[path.cells.size() - 2])) return PathEnd::no_better;
  }
  return path.cells.size() == setting.C.size() ? PathEnd::whole : PathEnd::open;
}

/// Adds judged cells to their path, which may end by them, and tells of it.
void Tuning::keep(std::size_t number, std::vector<JudgedWeights> cells, double seconds,
                  std::shared_ptr<const SolverState> warm) {
  const Setting& setting = setting_of(number);
  {
    const std::lock_guard lock(mutex_);
    JudgedPath& path = paths_[number];
    for (JudgedWeights& each : cells) {
      path.cells.push_back(std::move(each));
      ledger_.solved(kernel_, sort_of(setting), seconds / static_cast<double>(cells.size()));
    }
    path.end = end_of(*splits_[number % num_splits_], setting, path);
    path.warm = path.open() ? std::move(warm) : nullptr;
    if (!path.open()) ledger_.skipped(kernel_, sort_of(setting), setting.C.size() - path.cells.size());
    has_one_ = true;
    account(number / num_splits_);
    if (!path.cells.back().cut_short)
      checkpoint_.keep({kernel_, number}, path, ledger_.num_judged(), ledger_.num_cells());
  }
  ledger_.tell();
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_run.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "dorm/error.h"
#include "learning/solver/solver_table.h"
#include "learning/train/average.h"

namespace dorm {
namespace {

// A bound that carries no information at this C or a larger one is pruned; below, w = 0 is near for any bound.
constexpr double kTellingC = 10;

double mean_of(const EvaluatedWeights& evaluated) { return moments_of(evaluated.per_query).mean; }

// A path ends where its bound carries no information, where a larger C does no better, and where it is so far behind
// the points before it that it would have no share.
PathEnd end_of(const TuneSplit& split, const PathSetting& setting, const EvaluatedPath& path) {
  const EvaluatedWeights& last = path.points.back();
  if (last.cut_short) return PathEnd::open;
  if (setting.bound || setting.trees) {
    if (setting.bound && setting.C[path.points.size() - 1] >= kTellingC && last.explained_risk < kDegenerate)
      return PathEnd::no_information;
    if (!split.best.empty() && far_behind(last.per_query, split.best)) return PathEnd::far_behind;
    if (path.points.size() > 1 && mean_of(last) <= mean_of(path.points[path.points.size() - 2]))
      return PathEnd::no_better;
  }
  return path.points.size() == setting.C.size() ? PathEnd::whole : PathEnd::open;
}

}  // namespace

TuneRun::TuneRun(const LearningTask& task, TunePlan plan, const LearningTask* validation, std::size_t kernel,
                 TuneLedger& ledger, TuneCheckpoint& checkpoint)
    : task_(task),
      validation_(validation),
      plan_(std::move(plan)),
      threads_(task.threads(plan_.options.train.compute.threads)),
      kernel_(kernel),
      ledger_(ledger),
      checkpoint_(checkpoint) {
  for (const PathSetting& setting : plan_.settings)
    for (std::size_t k = 0; k < setting.C.size(); ++k) ledger_.expect(kernel_, setting.sort(), plan_.splits);
  paths_.resize(plan_.num_paths());
  for (const PathSetting& setting : plan_.settings) decided_.emplace_back(setting.C.size());
  restore();
}

// A path that was left in the middle continues from the state beside it; without one it begins again.
void TuneRun::restore() {
  for (std::size_t p = 0; p < paths_.size(); ++p) {
    const PathSetting& setting = plan_.setting_of(p);
    EvaluatedPath path = checkpoint_.path({kernel_, p});
    if (path.points.size() > setting.C.size() || (!path.open() && path.points.empty()))
      checkpoint_.refuse("a path has another number of points");
    if (path.open() && !setting.trees && (!path.warm || path.points.empty() || !setting.bound)) continue;
    paths_[p] = std::move(path);
    for (std::size_t k = 0; k < paths_[p].points.size(); ++k) ledger_.solved(kernel_, setting.sort(), {});
  }
  for (std::size_t s = 0; s < plan_.settings.size(); ++s) account(s);
}

bool TuneRun::knows_points() const {
  for (std::size_t s = 0; s < plan_.settings.size(); ++s)
    if (parts_of(plan_, paths_, s, 0).size() == plan_.splits) return true;
  return false;
}

void TuneRun::check_restored() const {
  for (std::size_t p = 0; p < paths_.size(); ++p) {
    const TuneSplit& split = *splits_[p % plan_.splits];
    const TuneSpace& space = *split.spaces[plan_.setting_of(p).space];
    for (const EvaluatedWeights& point : paths_[p].points)
      if (point.w.size() != (point.trees ? 0 : space.set.features().dimension()) ||
          (point.trees != nullptr) != plan_.setting_of(p).trees.has_value() ||
          point.per_query.size() != split.validation.data().num_queries() ||
          (point.trees && point.held_scores.size() != split.validation.data().num_documents()))
        checkpoint_.refuse("its weights are not those of this problem");
  }
}

/// Counts for the ledger the points of a setting that were evaluated on all splits, or pruned on one.
void TuneRun::account(std::size_t setting) {
  for (std::size_t k = 0; k < plan_.settings[setting].C.size(); ++k) {
    if (decided_[setting][k]) continue;
    if (const auto parts = parts_of(plan_, paths_, setting, k); parts.size() == plan_.splits) {
      const GridPoint point = point_of(plan_, plan_.settings[setting], plan_.settings[setting].C[k], parts);
      ledger_.evaluated(point, !point.degenerate());
      decided_[setting][k] = true;
      continue;
    }
    for (std::size_t split = 0; split < plan_.splits && !decided_[setting][k]; ++split)
      if (const EvaluatedPath& path = paths_[setting * plan_.splits + split]; !path.open() && k >= path.points.size()) {
        ledger_.pruned();
        decided_[setting][k] = true;
      }
  }
}

void TuneRun::run(bool at_least_one) {
  at_least_one_ = at_least_one && !knows_points();
  if (!plan_.options.tree_losses.empty()) lightgbm_ = load_lightgbm(plan_.options.lightgbm);
  splits_ = make_splits(task_, validation_, plan_);
  check_restored();
  const auto poll_by = [this](const std::function<void()>& first, const std::function<void()>& others) {
    for (const auto& split : splits_) {
      for (const auto& space : split->spaces) {
        space->set.poll_by(split == splits_.front() ? first : others);
        space->scorer->poll_by(split == splits_.front() ? first : others);
      }
    }
  };
  poll_by([this] { poll(at_least_one_ && !has_one_); }, [this] { poll(false); });
  ledger_.report();
  run_paths(false);
  note_best();
  run_paths(true);
  poll_by({}, {});
}

/// Inside long computations. With `needed`, there is nothing else to deliver: only the observer ends them.
void TuneRun::poll(bool needed) {
  ledger_.report_if_due();
  if (cut(needed)) throw CutShort{};
}

/// Whether the last or next computation is not wanted.
bool TuneRun::cut(bool needed) const { return ledger_.stopped() || (ledger_.over() && !needed); }

/// Those that no other path needs: one each while there are many paths, and more as they end. Results do not depend on
/// them.
std::size_t TuneRun::threads_of_path() const {
  const std::size_t side_by_side = std::max<std::size_t>(1, std::min(threads_, paths_left_.load()));
  return std::max<std::size_t>(1, (threads_ + side_by_side / 2) / side_by_side);
}

/// Paths of the bound predicted, which take longest, or all others.
void TuneRun::run_paths(bool predicted) {
  std::vector<std::size_t> paths;
  for (const std::size_t s : plan_.order)
    if ((plan_.settings[s].bound == Bound::predicted) == predicted)
      for (std::size_t split = 0; split < plan_.splits; ++split) paths.push_back(s * plan_.splits + split);
  std::erase_if(paths, [this](std::size_t number) { return !paths_[number].open(); });
  paths_left_ = paths.size();
  parallel_for(paths.size(), threads_, [&](std::size_t k, std::size_t) {
    struct Ended {
      std::atomic<std::size_t>& left;
      ~Ended() { --left; }
    } const ended{paths_left_};
    const std::size_t number = paths[k];
    const bool needed = at_least_one_ && number == plan_.order.front() * plan_.splits;
    if (cut(needed && paths_[number].points.empty())) return;
    try {
      if (plan_.setting_of(number).trees)
        run_trees(number);
      else
        plan_.setting_of(number).bound ? run_bound(number, needed) : run_initial_model(number, needed);
    } catch (const CutShort&) {
      paths_[number].cut = true;
    }
  });
}

/// Of the points so far, on each split.
void TuneRun::note_best() {
  for (std::size_t p = 0; p < paths_.size(); ++p)
    for (const EvaluatedWeights& each : paths_[p].points) {
      if (each.explained_risk < kDegenerate || plan_.setting_of(p).bound == Bound::predicted) continue;
      std::vector<double>& best = splits_[p % plan_.splits]->best;
      if (best.empty() || mean_of(each) > moments_of(best).mean) best = each.per_query;
    }
}

void TuneRun::run_initial_model(std::size_t number, bool needed) {
  const TuneSplit& split = *splits_[number % plan_.splits];
  const PathSetting& setting = plan_.setting_of(number);
  const Stopwatch watch;
  const TrainOptions options = plan_.options_of(setting, ledger_.limit().left());
  const StopAsked stop = [this] {
    ledger_.report_if_due();
    return ledger_.over();
  };
  const TuneSpace& space = *split.spaces[setting.space];
  std::vector<InitialFit> fits = space.set.fit_path({.kind = setting.start,
                                                     .convention = options.convention,
                                                     .C = setting.C,
                                                     .tolerance = options.solve.tolerance,
                                                     .seconds = ledger_.limit().left(),
                                                     .stop = stop,
                                                     .threads = threads_of_path()});
  if (cut(needed)) throw CutShort{};
  const bool cut_short = ledger_.over();
  std::vector<EvaluatedWeights> points;
  for (InitialFit& fit : fits) {
    EvaluatedWeights& each = points.emplace_back(split.evaluate(plan_, options, space, std::move(fit.w)));
    each.cut_short = cut_short;
    if (fit.report.passes == 0) continue;
    const SolveReport report = space.set.units().objective(fit.report);
    each.certificate = {report.primal, report.dual, report.gap, std::string(name_of(report.status))};
  }
  keep(number, std::move(points), watch.seconds(), nullptr);
}

/// Shared by the paths of a split: the second waits for the first.
std::vector<double> TuneRun::start_of(TuneSplit& split, const PathSetting& setting, bool needed) {
  const TrainOptions options = plan_.options_of(setting, ledger_.limit().left());
  const std::lock_guard lock(split.mutex);
  TuneSpace& space = *split.spaces[setting.space];
  const std::string key = split.train.start_key(options, setting.start);
  if (const auto found = space.starts.find(key); found != space.starts.end()) return found->second;
  const StopAsked stop = [this] {
    ledger_.report_if_due();
    return ledger_.over();
  };
  std::vector<double> w = split.train.start(space.set, options, setting.start, stop);
  if (cut(needed)) throw CutShort{};  // the initial model was cut short, too
  return space.starts[key] = std::move(w);
}

/// Of the path's last C, for the next one.
SolverState TuneRun::warm_state(const EvaluatedPath& path, double factor, const ReferencedRisk& risk) const {
  SolverState warm = *path.warm;
  warm.rescale(factor);
  try {
    check_state(risk, plan_.options.train.solve, warm);
  } catch (const Error& error) {
    checkpoint_.refuse(error.what());
  }
  return warm;
}

void TuneRun::run_bound(std::size_t number, bool needed) {
  TuneSplit& split = *splits_[number % plan_.splits];
  const PathSetting& setting = plan_.setting_of(number);
  const TuneSpace& space = *split.spaces[setting.space];
  Stopwatch watch;
  TrainOptions options = plan_.options_of(setting, ledger_.limit().left());
  const bool serial = space.set.solver_threads() == 1;  // rows of an exact kernel are kept by one thread
  const auto threads = [&] { return serial ? 1 : threads_of_path(); };
  options.compute.threads = threads();
  const std::vector<double> start = start_of(split, setting, needed);
  const std::unique_ptr<ReferencedRisk> risk = split.train.risk(space.set, options);
  const UnitsOfC units = space.set.units(options.paper_C);
  RoundsOptions rounds{.bound = *setting.bound,
                       .rounds = options.rounds,
                       .solve = options.solve,
                       .compute = {.threads = 1, .memory = plan_.shares.planes},
                       .keep_first_round = true};
  const RoundsObserver running = [this](const RoundsState&, const Progress&) {
    ledger_.report();
    return !ledger_.over();
  };
  EvaluatedPath& path = paths_[number];  // changed by this thread alone
  SolverState warm;
  for (std::size_t k = path.points.size(); k < setting.C.size() && path.open(); ++k, watch = Stopwatch()) {
    const double C = setting.C[k];
    if (cut(needed && k == 0)) throw CutShort{};
    rounds.solve.seconds = ledger_.limit().left();
    rounds.compute.threads = options.compute.threads = threads();
    risk->set_trade_off(units.trade_off(C, risk->num_blocks()));
    if (path.warm)
      warm = warm_state(path, C / setting.C[k - 1], *risk);
    else if (!warm.empty())
      warm.rescale(C / setting.C[k - 1]);
    Fitted fitted = run_rounds(*risk, rounds, start, running, {}, std::exchange(warm, {}));
    // A solver that is stopped evaluates once more; converged there, it has not ended where it would have.
    const bool cut_short = fitted.unfinished() || ledger_.over();
    if (cut_short && cut(needed && k == 0)) throw CutShort{};
    EvaluatedWeights each = split.evaluate(plan_, options, space, std::move(fitted.w));
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

/// One thread grows trees, so that they are the same on any number of cores.
void TuneRun::run_trees(std::size_t number) {
  TuneSplit& split = *splits_[number % plan_.splits];
  const PathSetting& setting = plan_.setting_of(number);
  const TrainOptions& train = plan_.options.train;
  const TreeGrower& grower = split.trees_by(lightgbm_);
  EvaluatedPath& path = paths_[number];  // changed by this thread alone
  for (std::size_t k = path.points.size(); k < setting.C.size() && path.open(); ++k) {
    if (cut(false)) throw CutShort{};
    const Stopwatch watch;
    const GrowOptions options{.loss = *setting.trees,
                              .measure = plan_.options.measures.front(),
                              .validated = train.measure,
                              .convention = train.convention,
                              .one_per = train.one_per,
                              .leaves = static_cast<std::size_t>(setting.C[k]),
                              .seed = train.solve.seed,
                              .signs = split.signs(train)};
    GrownTrees grown = grower.grow(options, [this](const GrowProgress&) {
      ledger_.report_if_due();
      return !cut(false);
    });
    if (grown.stopped) throw CutShort{};
    EvaluatedWeights each;
    each.trees = std::make_shared<const TreeEnsemble>(std::move(grown.trees));
    each.spread = grown.spread;
    each.held_scores = std::move(grown.held_scores);
    each.per_query = std::move(grown.per_query);
    each.rounds = grown.rounds;
    keep(number, {std::move(each)}, watch.seconds(), nullptr);
  }
}

/// Adds points to their path, which may end by them, and reports.
void TuneRun::keep(std::size_t number, std::vector<EvaluatedWeights> points, double seconds,
                   std::shared_ptr<const SolverState> warm) {
  const PathSetting& setting = plan_.setting_of(number);
  {
    const std::lock_guard lock(mutex_);
    EvaluatedPath& path = paths_[number];
    for (EvaluatedWeights& each : points) {
      path.points.push_back(std::move(each));
      ledger_.solved(kernel_, setting.sort(), seconds / static_cast<double>(points.size()));
    }
    path.end = end_of(*splits_[number % plan_.splits], setting, path);
    path.warm = path.open() ? std::move(warm) : nullptr;
    if (!path.open()) ledger_.skipped(kernel_, setting.sort(), setting.C.size() - path.points.size());
    has_one_ = true;
    account(number / plan_.splits);
    if (!path.points.back().cut_short)
      checkpoint_.keep({kernel_, number}, path, ledger_.num_evaluated(), ledger_.num_points());
  }
  ledger_.report();
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "learning/train/tune_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "dorm/error.h"
#include "learning/train/average.h"
#include "learning/train/choose.h"
#include "learning/train/describe.h"

namespace dorm {
namespace {

const std::vector<double> kRidgeC = {10, 100, 1000, 10000};
const std::vector<double> kPairwiseCs = {1, 10, 100};
// A bound that carries no information at this C or a larger one is given up; below, w = 0 is near for any bound.
constexpr double kTellingC = 10;

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

bool on_gains(Start ranker) { return ranker == Start::ridge_gain || ranker == Start::pairwise_gain; }

}  // namespace

/// What a path is about; the split is left out.
struct Tuning::Setting {
  std::string measure, decay;  // empty for a cheap ranker
  std::optional<Bound> bound;  // nothing: the cheap ranker itself
  Start start;
  std::vector<double> C;  // rising
};

/// Training data with the data that judges it.
struct Tuning::Split {
  const Task &train, &validation;
  TrainingSet set;
  std::unique_ptr<const Scorer> scorer;
  std::map<std::string, std::vector<double>> starts;  // shared by paths, so made before they run
  std::vector<double> best;                           // validation of the best cell that is judged first

  Split(const Task& train_task, const Task& validation_task, const TrainOptions& options, const Scaling& scaling)
      : train(train_task),
        validation(validation_task),
        set(train.data(), scaling, options.solve.threads, KernelOptions(options), options.solve.seed),
        scorer(set.scorer(validation.data())) {}
};

struct Tuning::Judged {
  std::vector<double> w;
  std::vector<double> per_query;  // NaN where the measure skips the query
  double health = std::numeric_limits<double>::quiet_NaN();
  Certificate certificate = no_certificate();
  std::size_t rounds = 0, usable_queries = 0;
};

double Tuning::mean_of(const Judged& judged) { return moments_of(judged.per_query).mean; }

Tuning::~Tuning() = default;

Tuning::Tuning(const Task& task, TuneOptions grid, const Task* validation, const TimeLimit& limit, bool must_judge)
    : task_(task),
      options_(std::move(grid)),
      threads_(task.threads(options_.train.solve.threads)),
      limit_(limit),
      must_judge_(must_judge),
      folded_(validation == nullptr),
      best_(std::numeric_limits<double>::quiet_NaN()) {
  if (validation)
    splits_.push_back(
        std::make_unique<Split>(task, *validation, options_.train,
                                scaling_for(task.data(), options_.train.scale, KernelOptions(options_.train))));
  else
    make_folds(task);
  make_settings(task);
  for (const auto& split : splits_)
    for (const Setting& setting : settings_)
      if (!limit_.over() || (must_judge_ && &setting == &settings_.front())) make_start(*split, setting);
}

// Scaling knows no labels, so all folds may share that of the whole data: only then can their weights be added.
void Tuning::make_folds(const Task& task) {
  const auto parts = folds(task.data(), options_.folds, options_.train.solve.seed);
  const Scaling scaling = scaling_for(task.data(), options_.train.scale, KernelOptions(options_.train));
  TrainOptions each = options_.train;
  each.cache_bytes /= parts.size();
  for (std::size_t held = 0; held < parts.size(); ++held) {
    std::vector<std::size_t> rest;
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (k != held) rest.insert(rest.end(), parts[k].begin(), parts[k].end());
    std::sort(rest.begin(), rest.end());
    const Task& train = *folds_.emplace_back(task.select(rest));
    const Task& held_out = *folds_.emplace_back(task.select(parts[held]));
    splits_.push_back(std::make_unique<Split>(train, held_out, each, scaling));
  }
}

void Tuning::make_settings(const Task& task) {
  std::vector<double> grid = options_.C;
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  std::vector<std::pair<Bound, Start>> candidates;
  const auto add = [&](Bound bound) {
    for (const Start start : starts_of(task, options_.train, bound))
      if (const std::pair candidate(bound, start);
          std::find(candidates.begin(), candidates.end(), candidate) == candidates.end())
        candidates.push_back(candidate);
  };
  for (const BoundChoice& bound : options_.bounds) {
    if (bound != Bound::predicted) add(bound.value_or(Bound::best));
    if (!bound || bound == Bound::predicted) add(Bound::predicted);
  }
  for (const std::string& measure : options_.measures)
    for (const std::string& decay : options_.decays)
      for (const auto& [bound, start] : candidates) settings_.push_back({measure, decay, bound, start, grid});
  if (task.sorts() && delivers()) {
    const bool gains = gains_differ(task.data(), make_convention(options_.train.convention));
    for (const Start ranker : options_.rankers)
      if (gains || !on_gains(ranker))
        settings_.push_back({"", "", std::nullopt, ranker,
                             ranker == Start::ridge || ranker == Start::ridge_gain ? kRidgeC : kPairwiseCs});
  }
  for (const Setting& setting : settings_) total_ += setting.C.size() * splits_.size();
}

void Tuning::make_start(Split& split, const Setting& setting) const {
  if (!setting.bound) return;
  const TrainOptions options = options_of(setting);
  const auto [found, unknown] = split.starts.try_emplace(split.train.start_key(options, setting.start));
  if (unknown) found->second = split.train.start(split.set, options, setting.start);
}

/// For one thread, since paths run side by side, and the time that is left.
TrainOptions Tuning::options_of(const Setting& setting) const {
  TrainOptions options = options_.train;
  if (setting.bound) {
    options.measure = setting.measure;
    options.decay = setting.decay;
  }
  options.solve.threads = 1;
  options.solve.seconds = limit_.left();
  return options;
}

void Tuning::run(const TuneObserver& observer) {
  observer_ = &observer;
  std::vector<std::vector<Judged>> judged(settings_.size() * splits_.size());
  run_paths(judged, false);
  note_best(judged);
  run_paths(judged, true);
  for (std::size_t s = 0; s < settings_.size(); ++s)
    for (std::size_t k = 0; k < settings_[s].C.size(); ++k) {  // cells that were not judged on all splits are left out
      std::vector<const Judged*> parts;
      for (std::size_t split = 0; split < splits_.size(); ++split)
        if (const auto& path = judged[s * splits_.size() + split]; k < path.size()) parts.push_back(&path[k]);
      if (parts.size() < splits_.size()) break;
      cells_.push_back(cell(settings_[s], settings_[s].C[k], parts));
      std::vector<Judged>& kept = parts_.emplace_back();
      for (std::size_t split = 0; split < splits_.size(); ++split)
        kept.push_back(std::move(judged[s * splits_.size() + split][k]));
    }
  if (cells_.empty()) return;
  TuneOptions choosing = options_;
  if (choosing.choice == Choice::average && !(task_.sorts() && delivers())) choosing.choice = Choice::steady;
  share_out(cells_, choosing);
}

/// Those of the bound predicted, which take longest, or all others.
void Tuning::run_paths(std::vector<std::vector<Judged>>& judged, bool predicted) {
  std::vector<std::size_t> paths;
  for (std::size_t path = 0; path < judged.size(); ++path)
    if ((settings_[path / splits_.size()].bound == Bound::predicted) == predicted) paths.push_back(path);
  parallel_for(paths.size(), threads_, [&](std::size_t k, std::size_t) {
    const std::size_t path = paths[k];
    judged[path] = run_path(*splits_[path % splits_.size()], settings_[path / splits_.size()],
                            must_judge_ && path < splits_.size());
  });
}

/// Of the cells judged so far, on each split.
void Tuning::note_best(const std::vector<std::vector<Judged>>& judged) {
  for (std::size_t path = 0; path < judged.size(); ++path)
    for (const Judged& each : judged[path]) {
      if (each.health < kDegenerate) continue;
      std::vector<double>& best = splits_[path % splits_.size()]->best;
      if (best.empty() || mean_of(each) > moments_of(best).mean) best = each.per_query;
    }
}

// A path is given up where its bound carries no information, where a larger C does no better, and where it is so far
// behind what was judged before that it would have no share.
std::vector<Tuning::Judged> Tuning::run_path(const Split& split, const Setting& setting, bool must_judge) {
  if (setting.bound) return run_rounds_path(split, setting, must_judge);
  std::vector<Judged> judged;
  if (stopped_ || limit_.over()) return judged;
  const TrainOptions options = options_of(setting);
  for (CheapFit& fit : split.set.fit_path({.kind = setting.start,
                       .convention = options.convention,
                       .C = setting.C,
                       .tolerance = options.solve.tolerance,
                       .seconds = limit_.left(),
                       .threads = 1})) {
    Judged each = judge(split, options, std::move(fit.w));
    if (fit.report.passes > 0) {
      const SolveReport report = split.set.units().objective(fit.report);
      each.certificate = {report.primal, report.dual, report.gap, std::string(name_of(report.status))};
    }
    judged.push_back(std::move(each));
    if (!tell(judged.back())) break;
  }
  return judged;
}

std::vector<Tuning::Judged> Tuning::run_rounds_path(const Split& split, const Setting& setting, bool must_judge) {
  std::vector<Judged> judged;
  const TrainOptions options = options_of(setting);
  const auto start = split.starts.find(split.train.start_key(options, setting.start));
  if (stopped_ || start == split.starts.end() || (limit_.over() && !must_judge)) return judged;
  const std::unique_ptr<ReferencedRisk> risk = split.train.risk(split.set, options);
  const UnitsOfC units = split.set.units(options.paper_C);
  RoundsOptions rounds{
      .bound = *setting.bound, .rounds = options.rounds, .solve = options.solve, .keep_first_round = true};
  const RoundsObserver running = [this](const RoundsState&, const Progress&) { return !stopped_.load(); };
  SolverState warm;
  double previous = 0;
  for (const double C : setting.C) {
    if (stopped_ || (limit_.over() && !(must_judge && judged.empty()))) break;
    rounds.solve.seconds = limit_.left();
    risk->set_trade_off(units.trade_off(C, risk->num_blocks()));
    if (!warm.empty()) warm.rescale(C / previous);
    Fitted fitted = run_rounds(*risk, rounds, start->second, running, {}, std::move(warm));
    if (fitted.report.status == SolveStatus::interrupted) break;
    Judged each = judge(split, options, std::move(fitted.w));
    each.health = fitted.health();
    each.rounds = fitted.objectives.size();
    each.usable_queries = risk->num_blocks();
    each.certificate = {units.objective(fitted.report.primal), units.objective(fitted.report.dual), fitted.report.gap,
                        std::string(fitted.status())};
    judged.push_back(std::move(each));
    if (!tell(judged.back()) || (C >= kTellingC && judged.back().health < kDegenerate)) break;
    if (!split.best.empty() && hopeless(judged.back().per_query, split.best)) break;
    if (judged.size() > 1 && mean_of(judged.back()) <= mean_of(judged[judged.size() - 2])) break;
    warm = std::move(fitted.first_round);
    previous = C;
  }
  return judged;
}

/// By the measure asked for, whatever was trained for.
Tuning::Judged Tuning::judge(const Split& split, const TrainOptions& options, std::vector<double> w) const {
  TrainOptions judging = options;
  judging.measure = options_.train.measure;
  Judged judged;
  judged.per_query = split.validation.judge(*split.scorer, w, judging).per_query;
  judged.w = std::move(w);
  return judged;
}

/// Whether to go on.
bool Tuning::tell(const Judged& judged) {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (const double mean = mean_of(judged); std::isnan(best_) || mean > best_) best_ = mean;
  if (*observer_ && !(*observer_)({done_, total_, best_})) stopped_ = true;
  return !stopped_;
}

TuneCell Tuning::cell(const Setting& setting, double C, const std::vector<const Judged*>& parts) const {
  TuneCell cell;
  cell.kernel = options_.train.kernel;
  cell.measure = setting.measure;
  cell.decay = setting.decay;
  cell.bound = setting.bound;
  cell.start = setting.start;
  cell.C = C;
  cell.certificate = parts.front()->certificate;
  for (const Judged* part : parts) {
    cell.per_query.insert(cell.per_query.end(), part->per_query.begin(), part->per_query.end());
    cell.health += part->health / static_cast<double>(parts.size());
    cell.rounds = std::max(cell.rounds, part->rounds);
    if (part->certificate.gap > cell.certificate.gap) cell.certificate = part->certificate;
  }
  const Moments moments = moments_of(cell.per_query);
  cell.validation = moments.mean;
  cell.standard_error = moments.standard_error;
  return cell;
}

bool Tuning::delivers() const { return !folded_ || (task_.sorts() && !KernelOptions(options_.train).used()); }

Tuning::Delivered Tuning::deliver() const {
  Delivered out;
  AverageOfWeights mean;
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    std::vector<double> w = weights_of(split);
    const std::vector<double> judged = judge(*splits_[split], options_.train, w).per_query;
    out.per_query.insert(out.per_query.end(), judged.begin(), judged.end());
    if (!folded_)
      out.w = std::move(w);
    else
      mean.add(w, spread(splits_[split]->set.features(), w), 1 / static_cast<double>(splits_.size()));
  }
  if (folded_) out.w = mean.weights();
  return out;
}

/// The only cell with a share as it is, or the average.
std::vector<double> Tuning::weights_of(std::size_t split) const {
  AverageOfWeights sum;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const std::vector<double>& w = parts_[k][split].w;
    if (cells_[k].share == 1) return w;
    if (!cells_[k].chosen()) continue;
    if (const double size = spread(splits_[split]->set.features(), w); size > 0) sum.add(w, size, cells_[k].share);
  }
  return sum.weights();
}

const TuneCell& Tuning::leader() const {
  return *std::max_element(cells_.begin(), cells_.end(),
                           [](const TuneCell& a, const TuneCell& b) { return a.share < b.share; });
}

std::size_t Tuning::usable_queries() const {
  for (const std::vector<Judged>& splits : parts_) {
    std::size_t sum = 0;
    for (const Judged& judged : splits) sum += judged.usable_queries;
    if (sum > 0) return folded_ ? sum / (splits_.size() - 1) : sum;  // every query is learnt from in all folds but one
  }
  return task_.data().num_queries();
}

Model Tuning::model(const std::vector<double>& w, double validation) const {
  const TuneCell& first = leader();
  Model model = splits_.front()->set.model(w);
  Origin origin = origin_of(options_.train);
  origin.measure = first.bound ? first.measure : options_.train.measure;
  origin.decay = first.decay;
  origin.bound = first.bound ? name_of(*first.bound) : "none";
  origin.start = name_of(first.start);
  origin.rounds = first.rounds;
  origin.C = first.C;
  origin.certificate = first.certificate;
  origin.health = first.bound ? first.health : 0;
  origin.validation = validation;
  origin.data = summary_of(task_.data());
  origin.data.usable_queries = usable_queries();
  describe(model, origin);
  model.folds = folded_ ? splits_.size() : 0;
  if (folded_ || first.share < 1) model.parts = parts();
  task_.data().require_intact();
  return model;
}

std::vector<ModelPart> Tuning::parts() const {
  std::vector<ModelPart> parts;
  for (const TuneCell& c : cells_)
    if (c.chosen())
      parts.push_back({c.share, c.measure, c.decay, std::string(c.bound ? name_of(*c.bound) : "none"),
                       std::string(name_of(c.start)), c.C, c.rounds, c.certificate, c.bound ? c.health : 0,
                       c.validation});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ModelPart& a, const ModelPart& b) { return a.share > b.share; });
  return parts;
}

}  // namespace dorm

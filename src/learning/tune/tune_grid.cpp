// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dorm/error.h"
#include "learning/train/average.h"
#include "learning/train/choose.h"
#include "learning/train/describe.h"
#include "learning/tune/tune_setting.h"

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

bool on_gains(Start ranker) { return ranker == Start::ridge_gain || ranker == Start::pairwise_gain; }

}  // namespace

Tuning::~Tuning() = default;

Tuning::Tuning(const Task& task, TuneOptions grid, const Task* validation, std::size_t kernel, TuneLedger& ledger,
               TuneCheckpoint& checkpoint)
    : task_(task),
      validation_(validation),
      options_(std::move(grid)),
      threads_(task.threads(options_.train.solve.threads)),
      kernel_(kernel),
      num_splits_(validation ? 1 : options_.folds),
      ledger_(ledger),
      checkpoint_(checkpoint),
      folded_(validation == nullptr) {
  make_settings();
  for (const Setting& setting : settings_)
    for (std::size_t k = 0; k < setting.C.size(); ++k) ledger_.expect(kernel_, sort_of(setting), num_splits_);
  paths_.resize(settings_.size() * num_splits_);
  cut_.resize(paths_.size());
  for (const Setting& setting : settings_) decided_.emplace_back(setting.C.size());
  restore();
}

// A path that was left in the middle goes on from the state beside it; without one it begins again.
void Tuning::restore() {
  for (std::size_t p = 0; p < paths_.size(); ++p) {
    JudgedPath path = checkpoint_.path({kernel_, p});
    if (path.cells.size() > setting_of(p).C.size() || (!path.open() && path.cells.empty()))
      checkpoint_.refuse("a path has another number of cells");
    if (path.open() && (!path.warm || path.cells.empty() || !setting_of(p).bound)) continue;
    paths_[p] = std::move(path);
    for (std::size_t k = 0; k < paths_[p].cells.size(); ++k) ledger_.solved(kernel_, sort_of(setting_of(p)), {});
  }
  for (std::size_t s = 0; s < settings_.size(); ++s) account(s);
}

bool Tuning::knows_cells() const {
  for (std::size_t s = 0; s < settings_.size(); ++s)
    if (parts_of(s, 0).size() == num_splits_) return true;
  return false;
}

void Tuning::make_splits() {
  if (folded_)
    make_folds();
  else
    splits_.push_back(
        std::make_unique<Split>(task_, *validation_, options_.train,
                                scaling_for(task_.data(), {options_.train.scale, options_.train.target},
                                            options_.train.solve.threads, KernelOptions(options_.train))));
  check_restored();
}

void Tuning::check_restored() const {
  for (std::size_t p = 0; p < paths_.size(); ++p) {
    const Split& split = *splits_[p % num_splits_];
    for (const JudgedWeights& judged : paths_[p].cells)
      if (judged.w.size() != split.set.features().dimension() ||
          judged.per_query.size() != split.validation.data().num_queries())
        checkpoint_.refuse("its weights are not those of this problem");
  }
}

// Scaling knows no labels, so all folds may share that of the whole data: only then can their weights be added.
void Tuning::make_folds() {
  const auto parts = folds(task_.data(), options_.folds, options_.train.solve.seed);
  const Scaling scaling = scaling_for(task_.data(), {options_.train.scale, options_.train.target},
                                      options_.train.solve.threads, KernelOptions(options_.train));
  TrainOptions each = options_.train;
  each.cache_bytes /= parts.size();
  for (std::size_t held = 0; held < parts.size(); ++held) {
    std::vector<std::size_t> rest;
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (k != held) rest.insert(rest.end(), parts[k].begin(), parts[k].end());
    std::sort(rest.begin(), rest.end());
    const Task& train = *folds_.emplace_back(task_.select(rest));
    const Task& held_out = *folds_.emplace_back(task_.select(parts[held]));
    splits_.push_back(std::make_unique<Split>(train, held_out, each, scaling));
  }
}

void Tuning::make_settings() {
  std::vector<double> grid = options_.C;
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  std::vector<std::pair<Bound, Start>> candidates;
  const auto add = [&](Bound bound) {
    for (const Start start : starts_of(task_, options_.train, bound))
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
  if (task_.sorts() && delivers()) {
    const bool gains = gains_differ(task_.data(), make_convention(options_.train.convention));
    for (const Start ranker : options_.rankers)
      if (gains || !on_gains(ranker))
        settings_.push_back({"", "", std::nullopt, ranker,
                             ranker == Start::ridge || ranker == Start::ridge_gain ? kRidgeC : kPairwiseCs});
  }
  // Cheap rankers first, unless an exact kernel makes them dear; predicted, which takes longest, last.
  const int cheap = KernelOptions(options_.train).exact() ? 1 : -1;
  const auto stage = [&](std::size_t s) {
    const Setting& setting = settings_[s];
    return !setting.bound ? cheap : setting.bound == Bound::predicted ? 2 : 0;
  };
  order_.resize(settings_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return stage(a) < stage(b); });
}

/// For one thread, since paths run side by side, and the time that is left.
TrainOptions Tuning::options_of(const Setting& setting) const {
  TrainOptions options = options_.train;
  if (setting.bound) {
    options.measure = setting.measure;
    options.decay = setting.decay;
  }
  options.solve.threads = 1;
  options.solve.seconds = ledger_.limit().left();
  return options;
}

const Tuning::Setting& Tuning::setting_of(std::size_t path) const { return settings_[path / num_splits_]; }

TuneForecast::Sort Tuning::sort_of(const Setting& setting) const {
  if (setting.bound)
    return setting.bound == Bound::predicted ? TuneForecast::Sort::predicted : TuneForecast::Sort::bound;
  const bool ridge = setting.start == Start::ridge || setting.start == Start::ridge_gain;
  return ridge ? TuneForecast::Sort::ridge : TuneForecast::Sort::pairs;
}

/// Of a cell, on the splits that have judged it.
std::vector<const JudgedWeights*> Tuning::parts_of(std::size_t setting, std::size_t k) const {
  std::vector<const JudgedWeights*> parts;
  for (std::size_t split = 0; split < num_splits_; ++split)
    if (const JudgedPath& path = paths_[setting * num_splits_ + split]; k < path.cells.size())
      parts.push_back(&path.cells[k]);
  return parts;
}

/// Tells the ledger of the cells of a setting that have been judged on all splits, or given up on one.
void Tuning::account(std::size_t setting) {
  for (std::size_t k = 0; k < settings_[setting].C.size(); ++k) {
    if (decided_[setting][k]) continue;
    if (const auto parts = parts_of(setting, k); parts.size() == num_splits_) {
      const GridPoint judged = cell(settings_[setting], settings_[setting].C[k], parts);
      ledger_.judged(judged, !judged.degenerate());
      decided_[setting][k] = true;
      continue;
    }
    for (std::size_t split = 0; split < num_splits_ && !decided_[setting][k]; ++split)
      if (const JudgedPath& path = paths_[setting * num_splits_ + split]; !path.open() && k >= path.cells.size()) {
        ledger_.given_up();
        decided_[setting][k] = true;
      }
  }
}

bool Tuning::is_whole(const std::vector<const JudgedWeights*>& parts) const {
  return parts.size() == num_splits_ &&
         std::none_of(parts.begin(), parts.end(), [](const JudgedWeights* part) { return part->cut_short; });
}

/// Cells that were cut short, or not judged on all splits, are left out where there is another.
void Tuning::gather() {
  bool whole = false;
  for (std::size_t s = 0; s < settings_.size(); ++s) whole = whole || is_whole(parts_of(s, 0));
  if (!whole && (!must_judge_ || ledger_.stopped())) return;
  for (std::size_t s = 0; s < settings_.size(); ++s)
    for (std::size_t k = 0; k < settings_[s].C.size(); ++k) {
      const auto parts = parts_of(s, k);
      if (whole ? !is_whole(parts) : parts.empty() || s != order_.front() || (settings_[s].bound && k > 0)) continue;
      cells_.push_back(cell(settings_[s], settings_[s].C[k], parts));
      cells_.back().cut_short = !whole;
      std::vector<JudgedWeights>& kept = parts_.emplace_back();
      for (std::size_t split = 0; split < num_splits_; ++split) {
        kept.emplace_back();
        if (JudgedPath& path = paths_[s * num_splits_ + split]; k < path.cells.size())
          kept.back() = std::move(path.cells[k]);
      }
      kept_.emplace_back(s, k);
    }
  if (cells_.empty()) return;
  TuneOptions choosing = options_;
  choosing.choice = choice();
  share_out(cells_, choosing);
}

/// By the split that gave it up, else by the one that was cut short in it.
Pruned Tuning::why_not(std::size_t setting, std::size_t k) const {
  Pruned why = Pruned::not_reached;
  for (std::size_t p = setting * num_splits_; p < (setting + 1) * num_splits_; ++p) {
    const JudgedPath& path = paths_[p];
    if (k < path.cells.size()) continue;
    if (path.end == PathEnd::no_information) return Pruned::no_information;
    if (path.end == PathEnd::no_better) return Pruned::no_better;
    if (path.end == PathEnd::far_behind) return Pruned::far_behind;
    if (cut_[p] && k == path.cells.size()) why = Pruned::cut_short;
  }
  return why;
}

std::vector<PrunedPoint> Tuning::pruned() const {
  std::vector<PrunedPoint> out;
  for (std::size_t s = 0; s < settings_.size(); ++s)
    for (std::size_t k = 0; k < settings_[s].C.size(); ++k) {
      const Setting& setting = settings_[s];
      if (std::find(kept_.begin(), kept_.end(), std::pair(s, k)) != kept_.end()) continue;
      const bool judged = parts_of(s, k).size() == num_splits_;
      out.push_back({setting.measure, setting.decay, options_.train.kernel, setting.bound, setting.start, setting.C[k],
                     judged ? Pruned::cut_short : why_not(s, k)});
    }
  return out;
}

void Tuning::rest() {
  for (const auto& split : splits_) {
    split->scorer.reset();
    split->set.drop_rows();
  }
  for (std::vector<JudgedWeights>& cell : parts_)
    for (JudgedWeights& part : cell) std::vector<double>().swap(part.w);
}

/// By the measure asked for, whatever was trained for.
JudgedWeights Tuning::judge(const Split& split, const TrainOptions& options, std::vector<double> w) const {
  TrainOptions judging = options;
  judging.measure = options_.train.measure;
  JudgedWeights judged;
  judged.per_query = split.validation.judge(*split.scorer, w, judging).per_query;
  judged.w = std::move(w);
  return judged;
}

GridPoint Tuning::cell(const Setting& setting, double C, const std::vector<const JudgedWeights*>& parts) const {
  GridPoint cell;
  cell.kernel = options_.train.kernel;
  cell.measure = setting.measure;
  cell.decay = setting.decay;
  cell.bound = setting.bound;
  cell.start = setting.start;
  cell.C = C;
  cell.certificate = parts.front()->certificate;
  for (const JudgedWeights* part : parts) {
    cell.per_query.insert(cell.per_query.end(), part->per_query.begin(), part->per_query.end());
    cell.explained_risk += part->explained_risk / static_cast<double>(parts.size());
    cell.rounds = std::max(cell.rounds, part->rounds);
    cell.cut_short = cell.cut_short || part->cut_short;
    if (part->certificate.gap > cell.certificate.gap) cell.certificate = part->certificate;
  }
  const Moments moments = moments_of(cell.per_query);
  cell.validation = moments.mean;
  cell.standard_error = moments.standard_error;
  return cell;
}

Choice Tuning::choice() const {
  return options_.choice == Choice::average && !(task_.sorts() && delivers()) ? Choice::steady : options_.choice;
}

bool Tuning::delivers() const { return !folded_ || (task_.sorts() && !KernelOptions(options_.train).used()); }

Tuning::Delivered Tuning::deliver() const {
  Delivered out;
  AverageOfWeights mean;
  std::optional<std::size_t> alone;  // it has been judged already
  for (std::size_t k = 0; k < cells_.size(); ++k)
    if (cells_[k].share == 1) alone = k;
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    std::vector<double> w = weights_of(split);
    if (w.empty()) continue;  // only where no cell was judged on all splits
    const std::vector<double> judged =
        alone ? parts_[*alone][split].per_query : judge(*splits_[split], options_.train, w).per_query;
    out.per_query.insert(out.per_query.end(), judged.begin(), judged.end());
    if (!folded_)
      out.w = std::move(w);
    else
      mean.add(w, spread(splits_[split]->set, w), 1 / static_cast<double>(splits_.size()));
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
    if (!cells_[k].chosen() || w.empty()) continue;
    if (const double size = spread(splits_[split]->set, w); size > 0) sum.add(w, size, cells_[k].share);
  }
  return sum.weights();
}

const GridPoint& Tuning::leader() const {
  return *std::max_element(cells_.begin(), cells_.end(),
                           [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
}

std::size_t Tuning::usable_queries() const {
  for (const std::vector<JudgedWeights>& splits : parts_) {
    std::size_t sum = 0;
    for (const JudgedWeights& judged : splits) sum += judged.usable_queries;
    if (sum > 0) return folded_ ? sum / (splits_.size() - 1) : sum;  // every query is learnt from in all folds but one
  }
  return task_.data().num_queries();
}

Model Tuning::model(const std::vector<double>& w, double validation) const {
  const GridPoint& first = leader();
  Model model = splits_.front()->set.model(w);
  Origin origin = origin_of(options_.train);
  origin.measure = first.bound ? first.measure : options_.train.measure;
  origin.decay = first.decay;
  origin.bound = first.bound ? name_of(*first.bound) : "none";
  origin.start = name_of(first.start);
  origin.rounds = first.rounds;
  origin.C = first.C;
  origin.certificate = first.certificate;
  origin.explained_risk = first.bound ? first.explained_risk : 0;
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
  for (const GridPoint& c : cells_)
    if (c.chosen())
      parts.push_back({c.share, c.measure, c.decay, std::string(c.bound ? name_of(*c.bound) : "none"),
                       std::string(name_of(c.start)), c.C, c.rounds, c.certificate, c.bound ? c.explained_risk : 0,
                       c.validation});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ModelPart& a, const ModelPart& b) { return a.share > b.share; });
  return parts;
}

}  // namespace dorm

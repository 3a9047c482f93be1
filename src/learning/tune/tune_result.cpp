// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "learning/train/average.h"
#include "learning/train/describe.h"
#include "learning/tune/choose.h"
#include "model/features/scatter.h"

namespace dorm {
namespace {

bool is_whole(const TunePlan& plan, const std::vector<const EvaluatedWeights*>& parts) {
  return parts.size() == plan.splits &&
         std::none_of(parts.begin(), parts.end(), [](const EvaluatedWeights* part) { return part->cut_short; });
}

/// By the split that pruned it, else by the one that was cut short in it.
Pruned reason_for(const TunePlan& plan, const std::vector<EvaluatedPath>& paths, std::size_t setting, std::size_t k) {
  Pruned why = Pruned::not_reached;
  for (std::size_t p = setting * plan.splits; p < (setting + 1) * plan.splits; ++p) {
    const EvaluatedPath& path = paths[p];
    if (k < path.points.size()) continue;
    if (path.end == PathEnd::no_information) return Pruned::no_information;
    if (path.end == PathEnd::no_better) return Pruned::no_better;
    if (path.end == PathEnd::far_behind) return Pruned::far_behind;
    if (path.cut && k == path.points.size()) why = Pruned::cut_short;
  }
  return why;
}

}  // namespace

TuneRunResult::TuneRunResult(TuneRun& run) : run_(run), plan_(run.plan()) { gather(); }

/// Points that were cut short, or not evaluated on all splits, are not used where there is another.
void TuneRunResult::gather() {
  std::vector<EvaluatedPath>& paths = run_.paths();
  bool whole = false;
  for (std::size_t s = 0; s < plan_.settings.size(); ++s)
    whole = whole || is_whole(plan_, parts_of(plan_, paths, s, 0));
  if (!whole && !run_.takes_parts()) return;
  for (std::size_t s = 0; s < plan_.settings.size(); ++s)
    for (std::size_t k = 0; k < plan_.settings[s].C.size(); ++k) {
      const auto parts = parts_of(plan_, paths, s, k);
      if (whole ? !is_whole(plan_, parts)
                : parts.empty() || s != plan_.order.front() || (plan_.settings[s].bound && k > 0))
        continue;
      points_.push_back(point_of(plan_, plan_.settings[s], plan_.settings[s].C[k], parts));
      points_.back().cut_short = !whole;
      std::vector<EvaluatedWeights>& kept = parts_.emplace_back();
      for (std::size_t split = 0; split < run_.splits().size(); ++split) {
        kept.emplace_back();
        if (EvaluatedPath& path = paths[s * plan_.splits + split]; k < path.points.size())
          kept.back() = std::move(path.points[k]);
      }
      kept_.emplace_back(s, k);
    }
  if (points_.empty()) return;
  TuneOptions choosing = plan_.options;
  choosing.choice = plan_.choice();
  share_out(points_, choosing);
}

std::vector<PrunedPoint> TuneRunResult::pruned() const {
  const std::vector<EvaluatedPath>& paths = run_.paths();
  std::vector<PrunedPoint> out;
  for (std::size_t s = 0; s < plan_.settings.size(); ++s)
    for (std::size_t k = 0; k < plan_.settings[s].C.size(); ++k) {
      const PathSetting& setting = plan_.settings[s];
      if (std::find(kept_.begin(), kept_.end(), std::pair(s, k)) != kept_.end()) continue;
      const bool evaluated = parts_of(plan_, paths, s, k).size() == plan_.splits;
      PrunedPoint& point = out.emplace_back();
      point = {setting.measure,
               setting.decay,
               plan_.options.train.kernel,
               setting.bound,
               setting.start,
               setting.trees ? 0 : setting.C[k],
               evaluated ? Pruned::cut_short : reason_for(plan_, paths, s, k)};
      point.trees = setting.trees;
      point.curves = setting.trees ? "none" : plan_.curves_of(setting);
      point.leaves = setting.trees ? static_cast<std::size_t>(setting.C[k]) : 0;
    }
  return out;
}

void TuneRunResult::release() {
  for (const auto& split : run_.splits()) {
    for (const auto& space : split->spaces) {
      space->scorer.reset();
      space->set.drop_rows();
    }
  }
  for (std::vector<EvaluatedWeights>& point : parts_)
    for (EvaluatedWeights& part : point) {
      std::vector<double>().swap(part.w);
      std::vector<double>().swap(part.held_scores);
      part.trees.reset();
    }
}

bool TuneRunResult::has_trees() const {
  return std::any_of(points_.begin(), points_.end(), [](const GridPoint& point) { return point.trees.has_value(); });
}

TuneRunResult::Delivered TuneRunResult::deliver() const { return deliver(points_); }

TuneRunResult::Delivered TuneRunResult::deliver(Family only) const {
  std::vector<GridPoint> points = points_;
  TuneOptions choosing = plan_.options;
  choosing.choice = plan_.choice();
  choosing.only = only;
  share_out(points, choosing);
  return deliver(points);
}

TuneRunResult::Delivered TuneRunResult::deliver(std::span<const GridPoint> points) const {
  Delivered out;
  AverageOfWeights mean;
  TreeEnsemble trees;
  std::optional<std::size_t> alone;  // which has been evaluated
  for (std::size_t k = 0; k < points.size(); ++k)
    if (points[k].share == 1) alone = k;
  for (std::size_t split = 0; split < run_.splits().size(); ++split) {
    std::vector<double> w = weights_of(split, points);
    const TreeEnsemble own = trees_of(split, points);
    if (w.empty() && own.num_trees() == 0) continue;  // only where no point was evaluated on all splits
    const std::vector<double> values = alone ? parts_[*alone][split].per_query : values_of(split, w, points);
    out.per_query.insert(out.per_query.end(), values.begin(), values.end());
    const double size = plan_.folded ? spread_of(split, w, own) : 1;
    const double share = plan_.folded ? 1 / static_cast<double>(plan_.splits) : 1;
    if (own.num_trees() > 0 && size > 0) add_scaled(trees, own, share / size);
    if (!plan_.folded)
      out.w = std::move(w);
    else if (!w.empty())
      mean.add(w, size, share);
  }
  if (plan_.folded) out.w = mean.weights();
  if (trees.num_trees() > 0) out.trees = std::make_shared<const TreeEnsemble>(std::move(trees));
  return out;
}

/// The only linear point with a share as it is, or the average.
std::vector<double> TuneRunResult::weights_of(std::size_t split, std::span<const GridPoint> points) const {
  AverageOfWeights sum;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::vector<double>& w = parts_[k][split].w;
    if (points[k].share == 1) return w;
    if (!points[k].chosen() || w.empty()) continue;
    if (const double size = spread(run_.splits()[split]->space_of(w).set, w); size > 0)
      sum.add(w, size, points[k].share);
  }
  return sum.weights();
}

TreeEnsemble TuneRunResult::trees_of(std::size_t split, std::span<const GridPoint> points) const {
  TreeEnsemble sum;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (const EvaluatedWeights& part = parts_[k][split]; points[k].chosen() && part.trees && part.spread > 0)
      add_scaled(sum, *part.trees, points[k].share / part.spread);
  return sum;
}

/// With trees by scores that no query chose the number of trees for.
std::vector<double> TuneRunResult::values_of(std::size_t split, const std::vector<double>& w,
                                             std::span<const GridPoint> points) const {
  const TuneSplit& own = *run_.splits()[split];
  std::vector<double> scores;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const EvaluatedWeights& part = parts_[k][split];
    if (!points[k].chosen() || !part.trees || !(part.spread > 0)) continue;
    scores.resize(part.held_scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += points[k].share / part.spread * part.held_scores[i];
  }
  if (scores.empty()) return own.evaluate(plan_, plan_.options.train, own.space_of(w), w).per_query;
  if (!w.empty()) {
    const std::vector<double> linear = own.space_of(w).scorer->scores(w, 1);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += linear[i];
  }
  return own.evaluate(plan_, scores);
}

double TuneRunResult::spread_of(std::size_t split, const std::vector<double>& w, const TreeEnsemble& trees) const {
  const TuneSplit& own = *run_.splits()[split];
  const TrainingSet& set = own.space_of(w).set;
  if (trees.num_trees() == 0) return spread(set, w);
  const Dataset& data = own.train.data();
  std::vector<double> scores = score(dorm::model_of(trees), data, plan_.options.train.compute.threads);
  if (!w.empty()) {
    const std::vector<double> linear = set.scorer(data)->scores(w, plan_.options.train.compute.threads);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += linear[i];
  }
  return std::sqrt(score_scatter(data, scores) / static_cast<double>(std::max<std::size_t>(1, scores.size())));
}

const GridPoint& TuneRunResult::leader() const {
  return *std::max_element(points_.begin(), points_.end(),
                           [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
}

/// Of the points of weights; without one that has a share, the best.
const GridPoint& TuneRunResult::linear_leader() const {
  const GridPoint* leader = nullptr;
  for (const GridPoint& point : points_)
    if (!point.trees &&
        (!leader || std::pair(point.share, point.validation) > std::pair(leader->share, leader->validation)))
      leader = &point;
  return *leader;
}

std::size_t TuneRunResult::usable_queries() const {
  for (const std::vector<EvaluatedWeights>& splits : parts_) {
    std::size_t sum = 0;
    for (const EvaluatedWeights& part : splits) sum += part.usable_queries;
    if (sum > 0)
      return plan_.folded ? sum / (plan_.splits - 1) : sum;  // every query is learnt from in all folds but one
  }
  return run_.task().data().num_queries();
}

Model TuneRunResult::model(const std::vector<double>& w, double validation) const {
  const GridPoint& first = linear_leader();
  Model model = run_.splits().front()->space_of(w).set.model(w);
  Origin origin = origin_of(plan_.options.train);
  origin.measure = first.bound ? first.measure : plan_.options.train.measure;
  origin.decay = first.decay;
  origin.bound = first.bound ? name_of(*first.bound) : "none";
  origin.start = name_of(first.start);
  origin.rounds = first.rounds;
  origin.C = first.C;
  origin.certificate = first.certificate;
  origin.explained_risk = first.bound ? first.explained_risk : 0;
  origin.validation = validation;
  origin.data = summary_of(run_.task().data());
  origin.data.usable_queries = usable_queries();
  describe(model, origin);
  model.folds = plan_.folded ? plan_.splits : 0;
  if (plan_.folded || first.share < 1) model.parts = parts(Family::linear);
  run_.task().data().require_intact();
  return model;
}

Model TuneRunResult::model_of_trees(const TreeEnsemble& trees, double validation) const {
  const TrainOptions& options = plan_.options.train;
  Model model = dorm::model_of(trees);
  Origin origin{.measure = options.measure,
                .convention = options.convention,
                .one_per = options.one_per,
                .start = "lightgbm",
                .seed = options.solve.seed,
                .validation = validation,
                .data = summary_of(run_.task().data())};
  origin.data.usable_queries = usable_queries();
  describe(model, origin);
  run_.task().data().require_intact();
  model.method = "lightgbm";
  model.folds = plan_.folded ? plan_.splits : 0;
  model.parts = parts(Family::trees);
  return model;
}

Model TuneRunResult::model(const Delivered& delivered, double validation) const {
  if (!delivered.trees) return model(delivered.w, validation);
  Model trees = model_of_trees(*delivered.trees, validation);
  if (delivered.w.empty()) return trees;
  Model sum = weighted_sum({model(delivered.w, validation), trees}, std::vector<double>{1, 1});
  Origin origin = origin_of(plan_.options.train);
  origin.solve = nullptr;
  origin.C = 0;
  origin.start = "sum";
  origin.validation = validation;
  origin.data = trees.data;
  describe(sum, origin);
  sum.folds = trees.folds;
  for (ModelPart& part : sum.parts) {
    part.share = 0;
    for (const GridPoint& point : points_)
      if (point.trees.has_value() == (part.ranker->trees != nullptr)) part.share += point.share;
  }
  return sum;
}

std::vector<ModelPart> TuneRunResult::parts(Family family) const {
  std::vector<ModelPart> parts;
  for (const GridPoint& c : points_) {
    if (!c.chosen() || !belongs(c, family)) continue;
    const std::string start(c.trees ? fmt::format("{} leaves={}", name_of(*c.trees), c.leaves) : name_of(c.start));
    parts.push_back({c.share, c.measure, c.decay, std::string(c.bound ? name_of(*c.bound) : "none"), start, c.C,
                     c.rounds, c.certificate, c.bound ? c.explained_risk : 0, c.validation});
    if (wants_curves(c.curves)) parts.back().curves = c.curves;
  }
  double total = 0;
  for (const ModelPart& part : parts) total += part.share;
  if (has_trees())  // shares are of all
    for (ModelPart& part : parts) part.share /= total;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ModelPart& a, const ModelPart& b) { return a.share > b.share; });
  return parts;
}

}  // namespace dorm

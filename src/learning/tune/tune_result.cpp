// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_result.h"

#include <algorithm>
#include <optional>

#include "learning/train/average.h"
#include "learning/train/describe.h"
#include "learning/tune/choose.h"

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
      out.push_back({setting.measure, setting.decay, plan_.options.train.kernel, setting.bound, setting.start,
                     setting.C[k], evaluated ? Pruned::cut_short : reason_for(plan_, paths, s, k)});
    }
  return out;
}

void TuneRunResult::release() {
  for (const auto& split : run_.splits()) {
    split->scorer.reset();
    split->set.drop_rows();
  }
  for (std::vector<EvaluatedWeights>& point : parts_)
    for (EvaluatedWeights& part : point) std::vector<double>().swap(part.w);
}

TuneRunResult::Delivered TuneRunResult::deliver() const {
  Delivered out;
  AverageOfWeights mean;
  std::optional<std::size_t> alone;  // which has been evaluated
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (points_[k].share == 1) alone = k;
  for (std::size_t split = 0; split < run_.splits().size(); ++split) {
    std::vector<double> w = weights_of(split);
    if (w.empty()) continue;  // only where no point was evaluated on all splits
    const std::vector<double> values = alone ? parts_[*alone][split].per_query
                                             : run_.splits()[split]->evaluate(plan_, plan_.options.train, w).per_query;
    out.per_query.insert(out.per_query.end(), values.begin(), values.end());
    if (!plan_.folded)
      out.w = std::move(w);
    else
      mean.add(w, spread(run_.splits()[split]->set, w), 1 / static_cast<double>(plan_.splits));
  }
  if (plan_.folded) out.w = mean.weights();
  return out;
}

/// The only point with a share as it is, or the average.
std::vector<double> TuneRunResult::weights_of(std::size_t split) const {
  AverageOfWeights sum;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const std::vector<double>& w = parts_[k][split].w;
    if (points_[k].share == 1) return w;
    if (!points_[k].chosen() || w.empty()) continue;
    if (const double size = spread(run_.splits()[split]->set, w); size > 0) sum.add(w, size, points_[k].share);
  }
  return sum.weights();
}

const GridPoint& TuneRunResult::leader() const {
  return *std::max_element(points_.begin(), points_.end(),
                           [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
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
  const GridPoint& first = leader();
  Model model = run_.splits().front()->set.model(w);
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
  if (plan_.folded || first.share < 1) model.parts = parts();
  run_.task().data().require_intact();
  return model;
}

std::vector<ModelPart> TuneRunResult::parts() const {
  std::vector<ModelPart> parts;
  for (const GridPoint& c : points_)
    if (c.chosen())
      parts.push_back({c.share, c.measure, c.decay, std::string(c.bound ? name_of(*c.bound) : "none"),
                       std::string(name_of(c.start)), c.C, c.rounds, c.certificate, c.bound ? c.explained_risk : 0,
                       c.validation});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ModelPart& a, const ModelPart& b) { return a.share > b.share; });
  return parts;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_path.h"

#include <algorithm>

#include "learning/train/average.h"

namespace dorm {

std::vector<const EvaluatedWeights*> parts_of(const TunePlan& plan, const std::vector<EvaluatedPath>& paths,
                                              std::size_t setting, std::size_t k) {
  std::vector<const EvaluatedWeights*> parts;
  for (std::size_t split = 0; split < plan.splits; ++split)
    if (const EvaluatedPath& path = paths[setting * plan.splits + split]; k < path.points.size())
      parts.push_back(&path.points[k]);
  return parts;
}

GridPoint point_of(const TunePlan& plan, const PathSetting& setting, double C,
                   const std::vector<const EvaluatedWeights*>& parts) {
  GridPoint point;
  point.kernel = plan.options.train.kernel;
  point.curves = setting.trees ? "none" : plan.curves_of(setting);
  point.measure = setting.measure;
  point.decay = setting.decay;
  point.bound = setting.bound;
  point.start = setting.start;
  point.C = setting.trees ? 0 : C;
  point.trees = setting.trees;
  point.leaves = setting.trees ? static_cast<std::size_t>(C) : 0;
  point.certificate = parts.front()->certificate;
  for (const EvaluatedWeights* part : parts) {
    point.per_query.insert(point.per_query.end(), part->per_query.begin(), part->per_query.end());
    point.explained_risk += part->explained_risk / static_cast<double>(parts.size());
    point.rounds = std::max(point.rounds, part->rounds);
    point.cut_short = point.cut_short || part->cut_short;
    if (part->certificate.gap > point.certificate.gap) point.certificate = part->certificate;
  }
  const Moments moments = moments_of(point.per_query);
  point.validation = moments.mean;
  point.standard_error = moments.standard_error;
  return point;
}

}  // namespace dorm

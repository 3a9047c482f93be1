// SPDX-License-Identifier: Apache-2.0
// What tuning finds along one path: a setting on one split, over rising C.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dorm/solver.h"
#include "learning/train/describe.h"
#include "learning/tune/tune_plan.h"

namespace dorm {

/// A grid point on one split.
struct EvaluatedWeights {
  std::vector<double> w;                      // none of trees
  std::shared_ptr<const TreeEnsemble> trees;  // instead
  double spread = 0;                          // of trees
  std::vector<double> held_scores;            // of trees: of the validation documents
  std::vector<double> per_query;              // NaN where the measure skips the query
  double explained_risk = std::numeric_limits<double>::quiet_NaN();
  Certificate certificate = no_certificate();
  std::size_t rounds = 0, usable_queries = 0;
  bool cut_short = false;  // training was ended early, and there was nothing else to deliver
};

enum class PathEnd { open, whole, no_information, no_better, far_behind };

struct EvaluatedPath {
  std::vector<EvaluatedWeights> points;  // of the first values of C
  PathEnd end = PathEnd::open;
  std::shared_ptr<const SolverState> warm;  // where the next C begins; only where progress is saved
  bool cut = false;                         // it ended in the middle of a point

  bool open() const { return end == PathEnd::open; }
};

/// Of a point, on the splits that have evaluated it.
std::vector<const EvaluatedWeights*> parts_of(const TunePlan& plan, const std::vector<EvaluatedPath>& paths,
                                              std::size_t setting, std::size_t k);

/// A point of a setting, from its parts on the splits.
GridPoint point_of(const TunePlan& plan, const PathSetting& setting, double C,
                   const std::vector<const EvaluatedWeights*>& parts);

}  // namespace dorm

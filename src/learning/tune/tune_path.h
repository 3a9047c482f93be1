// SPDX-License-Identifier: Apache-2.0
// What tuning finds along one path: a setting on one split, over rising C.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "dorm/solver.h"
#include "dorm/train.h"
#include "learning/train/describe.h"

namespace dorm {

/// A cell on one split.
struct JudgedWeights {
  std::vector<double> w;
  std::vector<double> per_query;  // NaN where the measure skips the query
  double explained_risk = std::numeric_limits<double>::quiet_NaN();
  Certificate certificate = no_certificate();
  std::size_t rounds = 0, usable_queries = 0;
  bool cut_short = false;  // trained for less than it takes, since there was nothing else to deliver
};

enum class PathEnd { open, whole, no_information, no_better, far_behind };

struct JudgedPath {
  std::vector<JudgedWeights> cells;  // of the first so many C
  PathEnd end = PathEnd::open;
  std::shared_ptr<const SolverState> warm;  // where the next C begins; only where progress is saved

  bool open() const { return end == PathEnd::open; }
};

}  // namespace dorm

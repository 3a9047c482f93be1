// SPDX-License-Identifier: Apache-2.0
// The smallest problems that train: what the targets of models and checkpoints are made from.
#pragma once

#include <limits>

#include "dorm/read.h"
#include "dorm/recommend/factorize.h"
#include "dorm/train.h"
#include "lab/compare/cell_store.h"

namespace dorm::fuzz {

inline TrainOptions small_training() {
  TrainOptions options;
  options.C = 10;
  options.bound = Bound::predicted;
  options.start = InitialModel::ridge;
  options.rounds = 2;
  options.scale = "none";
  options.compute.threads = 1;
  options.solve.max_passes = 20;
  options.checkpoint_seconds = 0;
  return options;
}

inline const Ratings& small_ratings() {
  static const Ratings ratings = parse_ratings("a,x,1\na,y,5\na,z,3\nb,x,4\nb,z,2\nc,y,1\nc,z,5\nc,x,2\n", "ratings");
  return ratings;
}

inline FactorizeOptions small_factorization() {
  FactorizeOptions options;
  options.rank = 2;
  options.rounds = 2;
  options.start_sweeps = 2;
  options.max_passes = 2;
  options.threads = 1;
  return options;
}

inline CellRecord small_record() {
  CellRecord record;
  record.key = "key";
  record.seconds = 1;
  record.gap = 0.001;
  record.explained_risk = 0.5;
  record.valid = {{0.5, 1}, {0.25}};
  record.test = {{0.75, std::numeric_limits<double>::quiet_NaN()}, {1}};
  return record;
}

}  // namespace dorm::fuzz

// SPDX-License-Identifier: Apache-2.0
// What training went through: every evaluated point of every candidate, for reports.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dorm/train.h"

namespace dorm::cli {

struct TracePoint {
  std::size_t round = 0;
  double passes = 0, seconds = 0;  // of the solver, over all rounds of this candidate
  double primal = 0, dual = 0, gap = 0;
  double validation = 0;  // NaN without validation data
};

struct CandidateTrace {
  std::string bound, start;
  std::vector<TracePoint> points;
};

class TrainingTrace {
 public:
  void add(const TrainProgress& progress);

  const std::vector<CandidateTrace>& candidates() const { return candidates_; }
  /// Null when nothing was seen of it, as after a checkpoint.
  const CandidateTrace* find(const std::string& bound, const std::string& start) const;

 private:
  struct Spent {
    double passes = 0, seconds = 0;
  };

  std::vector<CandidateTrace> candidates_;
  std::size_t round_ = 0;
  Spent before_, now_;  // in the rounds before; in this one
};

}  // namespace dorm::cli

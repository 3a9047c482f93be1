// SPDX-License-Identifier: Apache-2.0
// What training went through: every evaluated point of every candidate, for reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "dorm/train.h"

namespace dorm::cli {

struct TracePoint {
  std::size_t round = 0;
  double passes = 0;   // of this candidate, over all its rounds
  double seconds = 0;  // since training began
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
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::vector<CandidateTrace> candidates_;
  std::size_t round_ = 0;
  double passes_before_ = 0, last_pass_ = 0;  // of the rounds before; of this one
};

}  // namespace dorm::cli

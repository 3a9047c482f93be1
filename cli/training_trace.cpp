// SPDX-License-Identifier: Apache-2.0
#include "training_trace.h"

#include <algorithm>

namespace dorm::cli {

void TrainingTrace::add(const TrainProgress& progress) {
  const bool same = !candidates_.empty() && candidates_.back().bound == progress.bound &&
                    candidates_.back().start == progress.start;
  if (!same) {
    candidates_.push_back({std::string(progress.bound), std::string(progress.start), {}});
    passes_before_ = 0;
  } else if (progress.round != round_) {
    passes_before_ += last_pass_;
  }
  round_ = progress.round;
  last_pass_ = static_cast<double>(progress.solver.pass);
  if (!progress.solver.evaluated) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  candidates_.back().points.push_back({progress.round, passes_before_ + last_pass_, elapsed.count(),
                                       progress.solver.primal, progress.solver.dual, progress.solver.gap,
                                       progress.validation});
}

const CandidateTrace* TrainingTrace::find(const std::string& bound, const std::string& start) const {
  const auto found = std::find_if(candidates_.begin(), candidates_.end(), [&](const CandidateTrace& trace) {
    return trace.bound == bound && trace.start == start;
  });
  return found == candidates_.end() ? nullptr : &*found;
}

}  // namespace dorm::cli

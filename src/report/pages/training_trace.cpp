// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dorm/apps/pages.h"

namespace dorm::pages {

void TrainingTrace::add(const TrainProgress& progress) {
  if (progress.round == 0) return;  // no pass yet
  const std::string_view bound = name_of(progress.bound), start = name_of(progress.start);
  const bool same = !candidates_.empty() && candidates_.back().bound == bound && candidates_.back().start == start;
  if (!same) {
    candidates_.push_back({std::string(bound), std::string(start), {}});
    before_ = {};
  } else if (progress.round != round_) {
    before_ = {before_.passes + now_.passes, before_.seconds + now_.seconds};
  }
  round_ = progress.round;
  now_ = {static_cast<double>(progress.solver.pass), progress.solver.seconds};
  if (!progress.solver.evaluated) return;
  candidates_.back().points.push_back({progress.round, before_.passes + now_.passes, before_.seconds + now_.seconds,
                                       progress.solver.primal, progress.solver.dual, progress.solver.gap,
                                       progress.validation});
}

const CandidateTrace* TrainingTrace::find(const std::string& bound, const std::string& start) const {
  const auto found = std::find_if(candidates_.begin(), candidates_.end(), [&](const CandidateTrace& trace) {
    return trace.bound == bound && trace.start == start;
  });
  return found == candidates_.end() ? nullptr : &*found;
}

}  // namespace dorm::pages

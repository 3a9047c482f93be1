// SPDX-License-Identifier: Apache-2.0
// The judged queries of joined runs as evaluation sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/fusion/fuse.h"

namespace dorm {

/// Scores by document of runs.data, for each run; -infinity: not listed.
std::vector<std::vector<double>> scores_of_runs(const JoinedRuns& runs, std::span<const NamedRun> entries,
                                                std::size_t threads);

class JudgedLists {
 public:
  /// `depth`: documents below it change no measure, and none but relevant ones are looked at; 0: all do.
  JudgedLists(const JoinedRuns& runs, std::size_t depth);

  /// Of scores by document of runs.data; -infinity: not retrieved.
  EvaluationTable evaluate(std::span<const double> scores, std::span<const std::string> measures,
                           const EvaluateOptions& options) const;

  /// The same if those of the first `depth` that nobody judged were as good as the best document of all.
  EvaluationTable evaluate_if_good(std::span<const double> scores, std::size_t depth,
                                   std::span<const std::string> measures, const EvaluateOptions& options) const;

 private:
  struct Lists;
  Lists lists_of(std::span<const double> scores) const;

  const JoinedRuns& runs_;
  std::size_t depth_;
  float best_label_ = 1;
};

}  // namespace dorm

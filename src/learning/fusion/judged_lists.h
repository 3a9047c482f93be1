// SPDX-License-Identifier: Apache-2.0
// The judged queries of joined runs as evaluation sees them.
#pragma once

#include <string>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/fusion/fuse.h"

namespace dorm {

/// Scores by document of the judged queries of runs.data, for each run; -infinity: not listed.
std::vector<std::vector<double>> scores_of_runs(const JoinedRuns& runs, std::span<const NamedRun> entries,
                                                std::size_t threads);

class JudgedLists {
 public:
  /// `depth`: documents below it change no measure, and none but relevant ones are looked at; 0: all do.
  JudgedLists(const JoinedRuns& runs, std::size_t depth);

  struct Figures {
    EvaluationTable table;
    double if_good = 0;  // the first measure if those of the first `good` that nobody judged were as good as the best
  };
  /// Of scores by document of runs.data; -infinity: not retrieved.
  Figures evaluate(std::span<const double> scores, std::span<const std::string> measures, std::size_t good,
                   const EvaluateOptions& options) const;

 private:
  struct Lists;
  struct One;
  One list_of(std::size_t q, std::span<const double> scores) const;
  Lists lists_of(std::span<const double> scores, std::size_t threads) const;

  const JoinedRuns& runs_;
  std::size_t depth_;
  float best_label_ = 1;
};

}  // namespace dorm

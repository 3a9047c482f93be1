// SPDX-License-Identifier: Apache-2.0
// An evaluation as trec_eval prints it: one line per value, with its names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dorm/evaluate.h"

namespace dorm::cli {

/// Which lines, in order.
class TrecLines {
 public:
  /// Measures and the counts of trec_eval (runid, num_q, num_ret, num_rel, num_rel_ret, unj_n,
  /// num_nonrel_judged_ret), comma-separated; or "official" (also when empty) or "all_trec", its sets. Throws
  /// Error(bad_option) for an empty name.
  explicit TrecLines(const std::string& list);

  /// Tells the runs of one output apart: the line with the tag of the run comes first, if it was not asked for.
  void begin_with_run_id();
  std::string run_id(const std::string& tag) const;

  /// The measures among them; tables are expected to hold these.
  const std::vector<std::string>& measures() const { return measures_; }

  /// Query by query in the order of ids, without values that exist only over all queries.
  std::string per_query(const EvaluationTable& table) const;
  std::string summary(const EvaluationTable& table, const std::string& tag) const;

 private:
  struct Line {
    std::string count;        // name of the count, or unj_n; empty: a measure
    std::size_t measure = 0;  // index into measures_
  };
  std::vector<Line> lines_;
  std::vector<std::string> measures_;
};

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// How several rankers on the same queries are shown: a table for the terminal, CSV, Markdown and JSON.
#pragma once

#include <string>
#include <vector>

#include "dorm/evaluation/difference.h"

namespace dorm::cli {

struct RankersReport : TestedRankers {
  std::vector<std::string> kinds, sources;  // by row
  EvaluateOptions options;                  // it was made with
  bool effects = false;                     // show effect sizes and the queries they need
};

/// Means with the best marked, differences to the reference with stars; then, for few rankers, the tests in full.
std::string rankers_text(const RankersReport& report);
std::string rankers_markdown(const RankersReport& report);
std::string rankers_csv(const RankersReport& report);  // one line per ranker and measure
std::string rankers_json(const RankersReport& report);

/// One line per ranker and query.
std::string rankers_per_query(const RankerTable& table);

/// "p by permutation ..., corrected by Holm for N tests": the meaning of the stars.
std::string stars_note(const RankersReport& report);

}  // namespace dorm::cli

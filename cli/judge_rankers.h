// SPDX-License-Identifier: Apache-2.0
// Any number of rankers judged alike: by data, by the judgments of runs, or by ratings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eval_arguments.h"
#include "rankers.h"
#include "text/rankers_text.h"

namespace dorm::cli {

/// The rankers with all that was computed for them; what a page needs.
struct JudgedRankers {
  RankersReport report;
  Dataset data;                             // empty where rankers are judged by something else
  std::vector<Ranker> rankers;              // by row of the table; empty where there is no data
  std::vector<Dataset> expected;            // by row, the data as the ranker expects it
  std::vector<std::vector<double>> scores;  // by row, in document order; -infinity: not retrieved
};

/// Judges all rankers of the arguments. `of_ratings` makes the table of one recommender.
JudgedRankers judge_rankers(EvalArguments& arguments, const Settings& settings,
                            const std::function<EvaluationTable(const std::string& path)>& of_ratings);

/// The parts of it, for those who judge by something else. All rankers of the arguments; a reference that is none of
/// them comes last.
std::vector<Ranker> load_rankers(const EvalArguments& arguments,
                                 Ranker (*load_one)(const std::string& words) = load_ranker);
/// The row of the reference, after make_names_distinct().
std::size_t reference_of(const std::vector<Ranker>& rankers, const std::string& against);
RankersReport finished_report(std::vector<RankerRow> rows, const std::vector<Ranker>& rankers, std::size_t reference,
                              const EvalArguments& arguments);

/// A model brings the limits it was trained under, unless others are asked for.
void resolve_limits(EvaluateOptions& options, const std::string& of_model);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// Several rankers evaluated on the same documents, or by the same judgments.
#pragma once

#include <string>
#include <vector>

#include "input/rankers.h"
#include "options/eval_options.h"
#include "run/judging_text.h"
#include "text/eval_text.h"
#include "text/rankers_text.h"

namespace dorm::cli {

struct EvaluatedRankers {
  RankersReport report;
  std::vector<Ranker> rankers = {};              // of judged documents, in the order of the rows, as are
  std::vector<std::vector<double>> scores = {};  // their scores, and
  std::vector<Dataset> expected = {};            // the data as each of them expects it
  Dataset data;
  JudgingReport judging = {};                   // with --coverage, --other-qrels or --to-judge
  std::vector<std::size_t> cutoffs = {};        // for the page: the first measure
  std::vector<EvaluationTable> by_cutoff = {};  // of each ranker at these cutoffs
};

/// The rankers of the arguments and, where it is none of them, the reference of --against.
std::vector<Ranker> load_rankers(const EvalArguments& arguments,
                                 Ranker (*load_one)(const std::string& argument) = load_ranker);

/// The row of the reference among the loaded rankers.
std::size_t reference_of(const std::vector<Ranker>& rankers, const std::string& against);

RankersReport finished_report(std::vector<RankerRow> rows, const std::vector<Ranker>& rankers, std::size_t reference,
                              const EvalArguments& arguments);

/// The files of the runs among the arguments, those of folders included.
std::vector<std::string> run_files(const EvalArguments& arguments);

/// The judgments of --qrels, of the queries of --queries where these are given; with those of --new-qrels on documents
/// that they lack, unless `added` is false.
std::vector<Judgment> chosen_judgments(const EvalArguments& arguments, bool added = true);

/// A run, evaluated while it is read, with progress. Queries without judgments earn a warning, unless --queries chose
/// among them. `tag`, if not nullptr, becomes that of the run.
EvaluationTable evaluate_run_file(const std::string& file, const std::vector<Judgment>& judgments,
                                  const std::vector<std::string>& measures, const EvalArguments& arguments,
                                  const Settings& settings, std::string* tag = nullptr);

/// Adds the other table as the one to compare with.
void add_comparison(EvalReport& report, const EvaluationTable& other, const EvalArguments& arguments);

/// Limits on groups as given, else those of the model; "none" lifts them.
void resolve_limits(EvaluateOptions& options, const std::string& of_model);

/// Evaluates all rankers of the arguments, on documents or by TREC judgments.
EvaluatedRankers evaluate_rankers(EvalArguments& arguments, const Settings& settings);

/// Prints the table in the format of the arguments, and writes the values per query.
void print_rankers(const RankersReport& report, const EvalArguments& arguments, const Settings& settings);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// The options that the evaluations share: `dorm eval`, `dorm clicks evaluate` and `dorm recommend evaluate`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "dorm/evaluate.h"
#include "dorm/evaluation/difference.h"
#include "dorm/evaluation/judging.h"
#include "input/input.h"
#include "options/device_options.h"
#include "options/list_options.h"

namespace dorm::cli {

class OptionGroup;

struct EvalArguments {
  std::string data, scores, feature, model, run, qrels, subtopics, against, per_query, convention, position_gains,
      format = "table";
  std::vector<std::string> rankers = {};  // beside those of options; see rankers.h
  std::vector<std::string> reports = {};
  TopicArguments topics;
  std::size_t top = 0;   // length of lists under topic limits; 0: the cutoff of the first measure
  std::string measures;  // empty: the default of the verb
  EvaluateOptions options;
  TestOptions tests;
  bool effects = false;     // show effect sizes
  bool coverage = false;    // show what of the runs is judged
  std::string other_qrels;  // judgments to compare those of `qrels` with
  std::string by;           // groups of queries: FILE:COLUMN
  std::string queries;      // only these of the judgments: a file, or ids with commas
  std::string to_judge;     // where to list what to judge next
  std::string new_qrels;    // judgments made since, by such lists
  JudgingOptions judging;   // of the lists
  DeviceArguments device;   // of models
  InputArguments input;

  bool of_runs() const { return !run.empty() || !qrels.empty() || plans_judging(); }
  bool plans_judging() const { return !to_judge.empty() || !new_qrels.empty(); }
  bool surveys_judging() const { return coverage || !other_qrels.empty() || plans_judging(); }
  /// Whether the rankers are shown in one table.
  bool several() const;
};

/// The options of `dorm eval`, which fill `arguments`.
void declare_eval_options(CLI::App& app, EvalArguments& arguments);

/// --test, --correction and what else is asked of differences.
void add_test_options(CLI::App& app, EvalArguments& arguments);

/// --against, --measures, --convention, the bootstrap and --per-query.
void add_statistics_options(CLI::App& app, EvalArguments& arguments, const std::string& default_measures,
                            const std::string& default_convention);

/// The formats table, csv and markdown, for --format.
void add_table_format(CLI::App& app, EvalArguments& arguments);
/// Throws Error(unknown_name) for a format that the verb does not print.
void check_table_format(const EvalArguments& arguments);

/// The kinds of rankers, for the help.
std::string ranker_kinds_text();
std::string table_formats_text();

/// Throws Error(bad_option) for options that contradict each other or are missing.
void check(EvalArguments& arguments);

}  // namespace dorm::cli

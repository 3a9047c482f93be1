// SPDX-License-Identifier: Apache-2.0
// The options of `dorm eval`: what is judged, by what, and how it is shown.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "device_options.h"
#include "dorm/evaluate.h"
#include "input.h"
#include "judge_clicks.h"
#include "list_options.h"
#include "ratings_input.h"

namespace dorm::cli {

struct EvalArguments {
  std::string data, data_option, scores, feature, model, run, qrels, subtopics, ratings, against, per_query, convention,
      position_gains, format = "table";
  std::vector<std::string> rankers = {};  // beside those of options; see rankers.h
  std::vector<std::string> reports = {};
  std::string layout = "auto";  // of ratings
  SplitArguments split;
  TopicArguments topics;
  std::size_t top = 0;   // length of lists under topic limits; 0: as the first measure says
  std::string measures;  // empty: kMeasures, kSubtopicMeasures with --subtopics, or kTopicMeasures with --topics
  EvaluateOptions options;
  DeviceArguments device;  // of models
  InputArguments input;
  ClickEvalArguments clicks;

  bool judged_run() const { return !run.empty() || !qrels.empty(); }
  /// Whether rankers are shown beside each other, in one table.
  bool several() const;
};

/// Declares the options, which fill `arguments`.
void declare_options(CLI::App& app, EvalArguments& arguments);

/// What stands where depends on --data: without it the first of the rankers is the data.
void settle_positions(EvalArguments& arguments);

/// Throws Error(bad_option) for options that contradict each other or leave something open.
void check(const EvalArguments& arguments);

}  // namespace dorm::cli

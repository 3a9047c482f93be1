// SPDX-License-Identifier: Apache-2.0
// Rankers judged by a click log: options, and what is shown beside their figures.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "click_log_input.h"
#include "command.h"
#include "dorm/clicks/click_evaluation.h"
#include "text/rankers_text.h"

namespace dorm::cli {

struct EvalArguments;

struct ClickEvalArguments {
  bool on = false;
  std::string log, propensities, each = "query";
  ClickEvaluateOptions options = {};
  ClickLogArguments reading = {};
};

/// Declares --clicks and what goes with it.
void add_click_evaluation_options(CLI::App& app, ClickEvalArguments& arguments);

struct ClicksJudged {
  RankersReport report;
  ClickEvidence evidence;
  std::vector<std::vector<double>> unseen;  // by row and measure
  std::string estimator;
  double clip = 0;
};

/// Judges all rankers of the arguments. Documents are those of --data, else those that the log shows.
ClicksJudged judge_by_clicks(EvalArguments& arguments, const Settings& settings);

std::string clicks_judged_text(const ClicksJudged& judged);
std::string clicks_judged_json(const ClicksJudged& judged);

}  // namespace dorm::cli

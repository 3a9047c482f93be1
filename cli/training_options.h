// SPDX-License-Identifier: Apache-2.0
// What `dorm train` and `dorm tune` share: options, reading of the data, the memory they may take, where
// the model goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/apps/pages.h"
#include "dorm/learning/memory.h"
#include "input.h"

namespace dorm::cli {

struct TrainingArguments {
  std::string data, valid, model, weights;
  std::string like;                  // acted on before anything is parsed
  std::vector<std::string> reports;  // files to write, in the formats of their names
  std::string baseline;              // a ranker to be judged beside the model, for reports
  TrainOptions options;
  InputArguments input = {.unjudged = "auto"};
};

void add_training_options(CLI::App& app, TrainingArguments& arguments);

/// Refuses what can be refused before any data is read.
void check_training_arguments(const TrainingArguments& arguments);

struct TrainingData {
  Dataset train;
  std::optional<Dataset> valid;

  const Dataset* validation() const { return valid ? &*valid : nullptr; }
};

TrainingData load_training_data(const TrainingArguments& arguments, const Settings& settings);

/// Replaces the scaling auto by the one it chooses, and says what follows from it.
void settle_scaling(const TrainingData& data, const Settings& settings, TrainOptions& options);

/// Says on standard error how much memory a training will take.
void say_memory(const MemoryForecast& forecast, const Settings& settings);

/// What a page is told of a training; `reason`: why the chosen candidate won.
pages::TrainingReportData training_report_data(const TrainingArguments& arguments, const TrainingData& data,
                                               const TrainResult& result, const pages::TrainingTrace& trace,
                                               bool interrupted, const Settings& settings,
                                               const std::string& reason = {});

/// What is said of a run that was ended early.
std::string how_to_go_on(const std::string& checkpoint);

/// The catalogs that explain bounds, starts, decays and scalings.
std::string training_footer(const std::string& examples);

}  // namespace dorm::cli

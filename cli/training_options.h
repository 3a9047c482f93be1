// SPDX-License-Identifier: Apache-2.0
// What `dorm train` and `dorm tune` share: options, reading of the data, the memory they may take, where
// the model goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/apps/pages.h"
#include "input.h"
#include "learning/train/memory.h"

namespace dorm::cli {

struct TrainingArguments {
  std::string data, valid, model, weights, memory;
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
  bool mapped = false;

  const Dataset* validation() const { return valid ? &*valid : nullptr; }
};

TrainingData load_training_data(const TrainingArguments& arguments, const Settings& settings);

/// What is held in memory beside one training.
struct MemoryPlan {
  std::size_t plane_parts = 1;            // planes are so many times as long as the features
  std::size_t folds = 0;                  // each with data of its own; 0: none
  std::size_t running = 1;                // trainings side by side
  std::size_t plane_sets = 1;             // caches of planes that each of them holds
  std::vector<std::string> kernels = {};  // tried one after the other; none: that of the options
  std::size_t cells = 0;                  // judged weights that are kept
  std::size_t copies_of_cells = 1;
};

/// Resolves `--scale auto`, predicts memory, says so on standard error, and sets options.solve.plane_bytes so that
/// --memory is kept. Throws Error(bad_option) when it cannot be.
MemoryForecast plan_memory(const TrainingArguments& arguments, const TrainingData& data, const Settings& settings,
                           const MemoryPlan& plan, TrainOptions& options);

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

// SPDX-License-Identifier: Apache-2.0
// Common parts of `dorm train` and `dorm tune`: options, reading of the data, memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/apps/pages.h"
#include "input/input.h"
#include "learning/train/memory.h"

namespace dorm::cli {

struct TrainingArguments {
  std::string data, valid, model, weights, memory;
  std::string initial;               // a name of start_catalog() or, in dorm train, a file with a model
  std::string like;                  // acted on before anything is parsed
  std::vector<std::string> reports;  // files to write, in the formats of their names
  std::string baseline;              // a ranker to compare the model with, for reports
  TrainOptions options;
  InputArguments input = {.unjudged = "auto"};
};

/// All but DATA. `initial`: the help of --initial.
void add_training_options(CLI::App& app, TrainingArguments& arguments, const std::string& initial);

/// Moves the rarely used options to --help=expert.
void make_training_expert(CLI::App& app);

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

/// The report data of a training; `reason`: why the chosen candidate won.
pages::TrainingReportData training_report_data(const TrainingArguments& arguments, const TrainingData& data,
                                               const TrainResult& result, const pages::TrainingTrace& trace,
                                               bool interrupted, const Settings& settings,
                                               const std::string& reason = {});

/// How to resume a run that ended early.
std::string how_to_resume(const std::string& checkpoint);

/// The catalogs that explain bounds, initial models, decays and scalings.
std::string training_footer(const std::string& examples);

}  // namespace dorm::cli

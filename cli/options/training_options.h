// SPDX-License-Identifier: Apache-2.0
// Common parts of `dorm train` and `dorm tune`: options, reading of the data, memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/apps/pages.h"
#include "dorm/learning/few_features.h"
#include "dorm/learning/memory.h"
#include "input/input.h"

namespace dorm::cli {

struct TrainingArguments {
  std::string data, valid, model, weights;
  std::string initial;               // a name of initial_model_catalog() or, in dorm train, a file with a model
  std::string like;                  // acted on before anything is parsed
  std::vector<std::string> reports;  // files to write, in the formats of their names
  std::string lightgbm;              // its library; empty: found
  std::string baseline;              // a ranker to compare the model with
  bool complete = false;             // it may lack documents
  TrainOptions options;
  InputArguments input = {.unjudged = "auto"};
  FewFeatures few;            // without a budget: all of them
  std::string feature_costs;  // a file
};

/// All but DATA. `initial`: the help of --initial.
void add_training_options(CLI::App& app, TrainingArguments& arguments, const std::string& initial);

/// --lightgbm.
void add_lightgbm_option(CLI::App& app, std::string& file);

/// Moves the rarely used options to --help=expert.
void make_training_expert(CLI::App& app);

/// Throws Error for arguments that contradict each other, before any data is read.
void check_training_arguments(const TrainingArguments& arguments);

/// Takes --initial for a name unless there is such a file. Throws Error(unknown_name) for neither.
void settle_initial(TrainingArguments& arguments);

/// The file of --initial, if it is one.
std::optional<Model> initial_model(const TrainingArguments& arguments);

struct TrainingData {
  Dataset train;
  std::optional<Dataset> valid;
  std::optional<Dataset> test = {};                                  // set aside from the training data
  std::optional<pages::TrainingReportData::Baseline> baseline = {};  // on what the model is evaluated on
  std::optional<FeaturePath> few = {};                               // where features were chosen
  ReadableTexts texts = {};                                          // likewise

  const Dataset* validation() const { return valid ? &*valid : nullptr; }
};

/// `held_out`: share and seed of the queries to set aside, with the fingerprint of all documents afterwards.
TrainingData load_training_data(const TrainingArguments& arguments, const Settings& settings,
                                TestedFigure* held_out = nullptr);

/// Replaces the scaling auto by the chosen one, and prints a note about it.
void settle_scaling(const TrainingData& data, const Settings& settings, TrainOptions& options);

/// Prints the memory forecast of a training on standard error.
void say_memory(const MemoryForecast& forecast, const Settings& settings);

/// The report data of a training; `reason`: why the chosen candidate won.
pages::TrainingReportData training_report_data(const TrainingArguments& arguments, const TrainingData& data,
                                               const TrainResult& result, const pages::TrainingTrace& trace,
                                               bool interrupted, const std::string& reason = {},
                                               const std::string& measure = {});

/// How to resume a run that ended early.
std::string how_to_resume(const std::string& checkpoint);

/// The catalogs that explain bounds, initial models, decays and scalings.
std::string training_footer(const std::string& examples);

}  // namespace dorm::cli

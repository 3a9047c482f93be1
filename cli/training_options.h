// SPDX-License-Identifier: Apache-2.0
// What `dorm train` and `dorm tune` share: options, reading of the data, the memory they may take, where
// the model goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/pages.h"
#include "input.h"
#include "learning/train/memory.h"

namespace dorm::cli {

struct TrainingArguments {
  std::string data, valid, model, weights, memory;
  std::string like;                  // acted on before anything is parsed
  std::vector<std::string> reports;  // files to write, in the formats of their names
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

/// Resolves `--scale auto`, predicts memory for `copies` trainings side by side, whose planes are `plane_parts` times
/// as long as the features, says so on standard error, and sets options.solve.plane_bytes so that --memory is kept.
/// Throws Error(bad_option) when it cannot be.
MemoryForecast plan_memory(const TrainingArguments& arguments, const TrainingData& data, const Settings& settings,
                           std::size_t copies, std::size_t plane_parts, TrainOptions& options);

/// What a page is told of a training; `reason`: why the chosen candidate won.
pages::TrainingStory training_story(const TrainingArguments& arguments, const TrainingData& data,
                                    const TrainResult& result, const pages::TrainingTrace& trace, bool interrupted,
                                    const std::string& reason = {});

/// What is said of a run that was ended early.
std::string how_to_go_on(const std::string& checkpoint);

/// The catalogs that explain bounds, starts, decays and scalings.
std::string training_footer(const std::string& examples);

}  // namespace dorm::cli

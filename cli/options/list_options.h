// SPDX-License-Identifier: Apache-2.0
// Slates, for `train`, `rank` and `eval`: lists with gains by position, and lists under topic budgets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/train.h"
#include "options/training_options.h"
#include "text/eval_text.h"

namespace dorm::cli {

struct TopicArguments {
  std::string topics, limits;
  TopicOptions options;

  bool given() const { return !topics.empty() || !limits.empty(); }
};

void add_topic_options(CLI::App& app, TopicArguments& arguments);

/// Reads the two files. Throws Error(bad_option) when one is missing.
TopicTable load_topics(const TopicArguments& arguments, const Dataset& data);

/// The number after @ in a measure's name. Throws Error(bad_option) when there is none.
std::size_t cutoff_of(const std::string& measure);

struct ListArguments {
  std::string position_gains;
  std::string valid_lists;  // gains or topics of the validation data; empty: those of the training data know them
  bool one_function = false;
  std::size_t top = 0;
  TopicArguments topics;

  bool given() const { return !position_gains.empty() || topics.given(); }
};

/// The options of `train` and `tune`.
void add_list_options(CLI::App& app, ListArguments& arguments);

/// Throws Error for options that slates do not support, if slates are requested.
void check_list_arguments(const ListArguments& lists, const TrainingArguments& arguments);

/// The measure that candidates are validated by: that of the options, or position-gain.
std::string validated_measure(const ListArguments& lists, const TrainOptions& options);

/// The gains of --position-gains for the training data, read once: the file may be a pipe. Empty without the option.
PositionGainsFile load_gains(const ListArguments& lists, const TrainingData& data);

/// The tasks of the training data and of the validation data.
struct ListTasks {
  Task train;
  Task validation = {};
};
ListTasks tasks_of(const ListArguments& lists, const PositionGainsFile& gains, const TrainingData& data,
                   const std::string& measure);

/// Lines about the slates of a training or tuning; none for rankings by sorting.
std::string list_page(const ListArguments& lists, const PositionGainsFile& gains, const TrainReport& report);

/// The file of a model.
std::string model_text(const Model& model, const std::optional<PositionModel>& positions,
                       const PositionGainsFile& gains);

/// The first n documents of every query under topic budgets; a warning for lists without a proof of optimality.
std::vector<Ranking> ranked_under_topics(const Model& model, const Dataset& data, std::span<const double> scores,
                                         const TopicArguments& arguments, std::size_t top, const Settings& settings);

/// Query q by score, ties by the rows of the input; the first `top`, or all for 0.
Ranking sorted_ranking(const Dataset& data, std::size_t q, std::span<const double> scores, std::size_t top = 0);
/// The same of every query.
std::vector<Ranking> sorted_rankings(const Dataset& data, std::span<const double> scores, std::size_t top = 0);

/// Scores that sort the documents into these rankings: minus the rank.
std::vector<double> scores_of_rankings(const Dataset& data, const std::vector<Ranking>& rankings);

/// Adds position-gain@n to the table, by the gains of a file, or by `known` without a file.
void add_position_gain(const LabelGains& known, const std::string& gains_file, const Dataset& data,
                       const std::vector<Ranking>& rankings, const EvaluateOptions& options, EvaluationTable& table);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// `dorm train --ratings`: one ranker for all users, in the space of a joint kernel.
#pragma once

#include <string>

#include "command.h"
#include "training_options.h"

namespace dorm::cli {

struct JointArguments {
  std::string ratings, layout = "auto";
  std::string item_features, item_columns, user_features, user_columns;
};

void add_joint_options(CLI::App& app, JointArguments& arguments);

/// `method`: as spelled for --method. `verb`: to refuse options that do not go with ratings.
void train_on_ratings(const JointArguments& joint, const TrainingArguments& arguments, const std::string& method,
                      const CLI::App& verb, const Settings& settings);

}  // namespace dorm::cli

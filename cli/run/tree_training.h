// SPDX-License-Identifier: Apache-2.0
// `dorm train --method lightgbm`: one ensemble of trees, grown by LightGBM.
#pragma once

#include <string>

#include "command.h"
#include "dorm/learning/grow.h"
#include "options/training_options.h"

namespace dorm::cli {

/// Spelled lightgbm[:LOSS[~LEAVES[~ROUNDS]]].
bool is_tree_method(const std::string& method);
/// Throws Error(bad_option) or Error(unknown_name) for another spelling.
GrowOptions parse_tree_method(const std::string& method);
/// The rows of the help.
std::string tree_method_text();

void train_trees(const TrainingArguments& arguments, const std::string& method, const TrainingData& data,
                 const Settings& settings);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// --at-most and --feature-costs: a choice of features before the training.
#pragma once

#include <string>

#include "base/json.h"
#include "options/training_options.h"

namespace dorm::cli {

/// Where a budget is given: chooses features of the training data, and leaves these alone in the data and the options.
/// Prints the measure by number of features.
void choose_features(TrainingArguments& arguments, TrainingData& data, const Settings& settings);

/// Throws Error(unsupported) where features are to be chosen for a training of another kind.
void refuse_few_features(const TrainingArguments& arguments, bool other);

Json few_json(const FeaturePath& path);

}  // namespace dorm::cli

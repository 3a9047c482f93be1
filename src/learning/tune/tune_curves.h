// SPDX-License-Identifier: Apache-2.0
// Which curves a tuning tries beside lines.
#pragma once

#include <string>
#include <vector>

#include "dorm/tune.h"
#include "learning/train/learning_task.h"

namespace dorm {

/// What the options name, or lines, and curves beside them where the options, the data and who will evaluate the model
/// allow them. `options.kernels` is not empty.
std::vector<std::string> curves_to_try(const LearningTask& task, const TuneOptions& options);

/// Throws Error(bad_option) for curves that cannot be averaged into one model, and as TrainOptions::validate() does.
void validate_curves(const TuneOptions& options);

}  // namespace dorm

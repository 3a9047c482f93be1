// SPDX-License-Identifier: Apache-2.0
// `dorm recommend train --model-type joint`: one ranker for all users, in the space of a joint kernel.
#pragma once

#include "command.h"
#include "options/recommend_options.h"

namespace dorm::cli {

/// `verb`: the parsed options, of which only those given replace the defaults of joint kernels.
void train_joint(const RecommendTrainArguments& arguments, const CLI::App& verb, const Settings& settings);

}  // namespace dorm::cli

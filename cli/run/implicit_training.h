// SPDX-License-Identifier: Apache-2.0
// `dorm recommend train` with --implicit or --liked: a recommender from likes, plays or purchases.
#pragma once

#include "command.h"
#include "options/recommend_options.h"

namespace dorm::cli {

/// `verb`: the parsed options; those given are not searched.
void train_on_events(const RecommendTrainArguments& arguments, const CLI::App& verb, const Settings& settings);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// What --coverage and --other-qrels ask of the judgments of runs.
#pragma once

#include "input/rankers.h"
#include "options/eval_options.h"
#include "run/judging_text.h"

namespace dorm::cli {

JudgingReport survey_judging(const std::vector<Ranker>& runs, const EvalArguments& arguments);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/replace_features.h"
#include "dorm/error.h"
#include "learning/train/kernel_options.h"
#include "learning/train/memory.h"
#include "learning/train/scaling_choice.h"

namespace dorm {
namespace {

/// Whether trainings take them, rather than to refuse them by name.
bool learnable(const TuneOptions& options) {
  if (options.kernels != std::vector<std::string>{"none"}) return false;
  TrainOptions curved = options.train;
  curved.curves = kTriedCurves;
  curved.initial = nullptr;  // of a refit
  try {
    curved.validate();
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool served(const LearningTask& task, const TrainOptions& options) {
  return options.target.empty() || serves_curves(options.target, settle_scaling(task.data(), options));
}

}  // namespace

std::vector<std::string> curves_to_try(const LearningTask& task, const TuneOptions& options) {
  if (!options.curves.empty()) return options.curves;
  const Dataset& data = task.data();
  if (wants_curves(options.train.curves) || data.num_queries() < kCurveQueries || !task.sorts() ||
      !options.tree_losses.empty() || !data.dense() || data.input().has_rule(Missing::keep) || !learnable(options) ||
      !served(task, options.train))
    return {options.train.curves};
  return {"none", std::string(kTriedCurves)};
}

void validate_curves(const TuneOptions& options) {
  TrainOptions each = options.train;
  for (const std::string& curves : options.curves) each.curves = curves, each.validate();
  const std::vector<std::string> lines = {"none"};
  if (std::any_of(options.curves.begin(), options.curves.end(), wants_curves) && !options.kernels.empty() &&
      options.kernels != lines)
    throw Error(ErrorCode::unsupported, "curves are not learnt beside a kernel; expected one of them in the grid");
  if (options.curves.size() < 2) return;
  if (options.curves.size() > 2 || wants_curves(options.curves[0]) || !wants_curves(options.curves[1]))
    throw Error(ErrorCode::bad_option,
                fmt::format("the grid has the curves {}; expected none, curves of one spelling, or none/8",
                            fmt::join(options.curves, "/")));
  if (parse_curves(options.curves[1], {}).shape == CurveShape::steps)
    throw Error(ErrorCode::bad_option,
                fmt::format("lines and the curves {} cannot be averaged into one model; expected curves of lines, or "
                            "one of them",
                            options.curves[1]));
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A fused model as a file: a linear model, with how runs become its columns. The file is that of a model with one more
// field, so that what reads models reads it, for data whose columns are joined already.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/fusion/runs.h"
#include "dorm/model.h"

namespace dorm {

struct FusedModel {
  Model model;
  FusionInput input;
  /// By list: least and largest score, mean over the queries it was learnt from; for engines that cannot see a list as
  /// a whole. Empty: not known.
  std::vector<double> low = {}, high = {};
};

std::string to_json(const FusedModel& model);
/// Nothing for a model that is not fused. Throws Error(bad_input) naming `name` for one whose record is not usable.
std::optional<FusedModel> fused_model_from_json(std::string_view text, const std::string& name);
std::optional<FusedModel> load_fused_model(const std::string& path);

}  // namespace dorm

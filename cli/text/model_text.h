// SPDX-License-Identifier: Apache-2.0
// How a model is described by `dorm info`.
#pragma once

#include <string>

#include "dorm/model.h"

namespace dorm::cli {

std::string model_text(const Model& model, const std::string& path);
std::string model_text(const PositionModel& model, const std::string& path);
std::string model_json(const Model& model, const std::string& path);
std::string model_json(const PositionModel& model, const std::string& path);

}  // namespace dorm::cli

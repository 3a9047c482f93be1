// SPDX-License-Identifier: Apache-2.0
// How `dorm recommend train` and `dorm info` describe a model over a joint kernel.
#pragma once

#include <string>

#include "dorm/recommend/joint_model.h"

namespace dorm::cli {

std::string joint_text(const JointModel& model, const std::string& path);
std::string joint_json(const JointModel& model, const std::string& path);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// How a model is described by `dorm info`.
#pragma once

#include <string>

#include "dorm/model.h"

namespace dorm::cli {

/// Whether the file begins like a JSON object; nothing else dorm reads does. A file that cannot be read does not.
bool looks_like_model(const std::string& path);

std::string model_text(const Model& model, const std::string& path);
std::string model_json(const Model& model, const std::string& path);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// How a model of ratings is described by `dorm info`.
#pragma once

#include <string>

#include "dorm/factorize.h"

namespace dorm::cli {

std::string factors_text(const FactorModel& model, const std::string& path);
std::string factors_json(const FactorModel& model, const std::string& path);

}  // namespace dorm::cli

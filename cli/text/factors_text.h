// SPDX-License-Identifier: Apache-2.0
// How a model of ratings is described by `dorm info`.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/recommend/factorize.h"

namespace dorm::cli {

std::string factors_text(const FactorModel& model, const std::string& path);
std::string factors_json(const FactorModel& model, const std::string& path);

/// The settings that were tried and the one that was chosen; nothing where nothing was.
std::string choice_text(const FactorModel& model);
Json choice_json(const FactorModel& model);
/// How ratings become grades; nothing where they are.
std::string grades_text(const FactorModel& model);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// The tables of an experiment as text for the terminal and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "dorm/lab/experiment.h"

namespace dorm::cli {

std::string experiment_text(const ExperimentResult& result);
nlohmann::ordered_json experiment_json(const ExperimentResult& result);

}  // namespace dorm::cli

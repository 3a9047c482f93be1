// SPDX-License-Identifier: Apache-2.0
// The tables of an experiment as text for the terminal and as JSON for programs.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/lab/experiment.h"

namespace dorm::cli {

std::string experiment_text(const ExperimentResult& result);
Json experiment_json(const ExperimentResult& result);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// What a training would take, before it starts: dorm train --plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/learning/memory.h"
#include "dorm/train.h"

namespace dorm::cli {

/// The plan for the terminal, or as JSON. `memory`: of the training; `of_files`: shards_of_files() of the data.
std::string plan_page(const Dataset& data, const TrainOptions& options, const MemoryForecast& memory,
                      std::size_t of_files, const Settings& settings);

}  // namespace dorm::cli

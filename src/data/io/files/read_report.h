// SPDX-License-Identifier: Apache-2.0
// What readers report besides the data.
#pragma once

#include <string>

#include "data/assemble.h"
#include "dorm/read.h"

namespace dorm {

inline void warn(ReadReport* report, std::string message) {
  if (report != nullptr) report->warnings.push_back(std::move(message));
}

/// One warning for all blocks of rows that had to be joined to an earlier block of their query.
void warn_merged(ReadReport* report, const std::string& name, const Grouping& grouping);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Fused models for search engines.
#pragma once

#include <string>

#include "command.h"
#include "dorm/fusion/fused_model.h"

namespace dorm::cli {

struct FusedExport {
  std::string target, output;
  std::string check;  // runs to fuse as the engine does, separated by commas; empty: none
};

/// Writes the request or configuration and, with runs to check, how the engine's lists differ from the model's.
void write_fused_export(const FusedModel& model, const FusedExport& arguments, const Settings& settings);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// The kernel part of a model as JSON: support documents as one block of float32 numbers in base64, with a checksum,
// their names and coefficients beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dorm/kernel.h"

namespace dorm {

nlohmann::ordered_json kernel_json(const KernelExpansion& expansion);

/// `version` is that of the model. Throws Error(bad_input) naming `name` and what is missing, damaged or inconsistent.
KernelExpansion kernel_from_json(const nlohmann::ordered_json& json, const std::vector<std::string>& features,
                                 const std::string& name, std::uint64_t version);

}  // namespace dorm

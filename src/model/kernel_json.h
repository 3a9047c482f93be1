// SPDX-License-Identifier: Apache-2.0
// The kernel part of a model as JSON: support documents as one block of float32 numbers in base64, with a checksum,
// their names and coefficients beside it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "dorm/learning/kernel.h"

namespace dorm {

Json kernel_json(const KernelExpansion& expansion);

/// Throws Error(bad_input) naming the file and what is missing, damaged or inconsistent.
KernelExpansion kernel_from_json(const JsonFields& kernel, const std::vector<std::string>& features);

}  // namespace dorm

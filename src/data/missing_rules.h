// SPDX-License-Identifier: Apache-2.0
// The rules for missing values by name.
#pragma once

#include <span>

#include "dorm/base/catalog.h"

namespace dorm {

/// In the order of the enumeration Missing.
std::span<const CatalogEntry> missing_catalog();

}  // namespace dorm

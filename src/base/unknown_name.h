// SPDX-License-Identifier: Apache-2.0
// Which known name was meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dorm/base/catalog.h"

namespace dorm {

/// The known name that differs least from `name`; empty when none looks like it.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// throw_unknown_name() of catalog.h with the name to suggest, empty: none.
[[noreturn]] void throw_unknown_name(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known,
                                     const std::string& nearest);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Which known name was meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dorm {

/// The known name that differs least from `name`; empty when none looks like it.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The one way to refuse an option.
#pragma once

#include <string_view>

namespace dorm {

/// Throws Error(bad_option), "field is value; expected allowed", unless `holds`.
void require(bool holds, std::string_view field, double value, std::string_view allowed);

}  // namespace dorm

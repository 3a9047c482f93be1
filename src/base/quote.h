// SPDX-License-Identifier: Apache-2.0
// Pieces of input as they appear in messages.
#pragma once

#include <string>
#include <string_view>

namespace dorm {

/// 'text' with control and non-ASCII bytes escaped (\t, \x00) and long text cut short (...).
std::string in_quotes(std::string_view text);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Pieces of input as they appear in messages.
#pragma once

#include <string>
#include <string_view>

namespace dorm {

/// The text with everything escaped (\x1b) that a terminal would obey: control characters except line ends and tabs,
/// and bytes that are not UTF-8. Names of files and what stands in them come from anywhere.
std::string printable(std::string_view text);

/// 'text', printable in one line (\t, \n), long text cut short (...).
std::string in_quotes(std::string_view text);

}  // namespace dorm

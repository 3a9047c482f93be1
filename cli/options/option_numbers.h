// SPDX-License-Identifier: Apache-2.0
// Numbers on the command line: every option that takes one has a range, by which it is checked here and nowhere else.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dorm/base/number_range.h"

namespace dorm::cli {

/// Parses a number. Throws Error(bad_option), "--folds is -1; expected a whole number from 2 on", for a number outside
/// of the range and for other text.
std::uint64_t parse_count(const std::string& option, const std::string& text, const NumberRange& range);
std::int64_t parse_whole(const std::string& option, const std::string& text, const NumberRange& range);
double parse_real(const std::string& option, const std::string& text, const NumberRange& range);

template <class Number>
Number parse_number(const std::string& option, const std::string& text, const NumberRange& range) {
  if constexpr (std::floating_point<Number>)
    return parse_real(option, text, range);
  else if constexpr (std::signed_integral<Number>)
    return static_cast<Number>(parse_whole(option, text, range));
  else
    return static_cast<Number>(parse_count(option, text, range));
}

/// "1.5G", "800MB", "2GiB", "1000000": bytes. Throws Error(bad_option).
std::uint64_t parse_bytes(std::string_view option, const std::string& text);

/// The mark of an option that takes a number: the type of its value, never shown, which tells the range.
std::string number_mark(const NumberRange& range);
/// The range that a mark tells; nothing for the type of any other option.
std::optional<NumberRange> marked_range(const std::string& type);

}  // namespace dorm::cli

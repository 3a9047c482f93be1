// SPDX-License-Identifier: Apache-2.0
#include "option_numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "dorm/error.h"

namespace dorm::cli {
namespace {

constexpr std::string_view kNumberMark = "NUMBER";

template <class Number>
Number checked_number(const std::string& option, const std::string& text, const NumberRange& range) {
  Number value{};
  const char* const begin = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (code != std::errc{} || stop != end || !range.contains(static_cast<double>(value)))
    throw Error(ErrorCode::bad_option,
                fmt::format("{} is {}; expected {}", option, text.empty() ? std::string("empty") : text, range.text()));
  return value;
}

}  // namespace

std::uint64_t parse_count(const std::string& option, const std::string& text, const NumberRange& range) {
  return checked_number<std::uint64_t>(option, text, range);
}

std::int64_t parse_whole(const std::string& option, const std::string& text, const NumberRange& range) {
  return checked_number<std::int64_t>(option, text, range);
}

double parse_real(const std::string& option, const std::string& text, const NumberRange& range) {
  return checked_number<double>(option, text, range);
}

std::string number_mark(const NumberRange& range) {
  return fmt::format("{} {} {} {:d} {:d} {:d} {:d}", kNumberMark, range.low, range.high, range.whole, range.above_low,
                     range.below_high, range.infinite);
}

std::optional<NumberRange> marked_range(const std::string& type) {
  std::istringstream words(type);
  std::string mark, low, high;
  NumberRange range;
  if (!(words >> mark) || mark != kNumberMark) return std::nullopt;
  words >> low >> high >> range.whole >> range.above_low >> range.below_high >> range.infinite;
  range.low = std::stod(low);
  range.high = std::stod(high);
  return range;
}

}  // namespace dorm::cli

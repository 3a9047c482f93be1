// SPDX-License-Identifier: Apache-2.0
#include "options/option_numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <utility>

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

std::uint64_t parse_bytes(std::string_view option, const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                            {"B", 1},
                                                            {"K", 1e3},
                                                            {"KB", 1e3},
                                                            {"M", 1e6},
                                                            {"MB", 1e6},
                                                            {"G", 1e9},
                                                            {"GB", 1e9},
                                                            {"T", 1e12},
                                                            {"TB", 1e12},
                                                            {"KIB", 1024},
                                                            {"MIB", 1048576.0},
                                                            {"GIB", 1073741824.0},
                                                            {"TIB", 1099511627776.0}};
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const auto& [name, factor] : kUnits)
    if (code == std::errc{} && unit == name && number > 0 && number * factor < 1e18)
      return static_cast<std::uint64_t>(number * factor);
  throw Error(ErrorCode::bad_option,
              fmt::format("{} is \"{}\"; expected a size such as 800M, 1.5G or 2GiB", option, text));
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

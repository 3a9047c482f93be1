// SPDX-License-Identifier: Apache-2.0
#include "serve/body_reader.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/quote.h"
#include "dorm/error.h"

namespace dorm::serve {
namespace {

namespace od = simdjson::ondemand;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// What stands there, in a few words.
std::string found_at(od::value& value) {
  const std::string_view token = trimmed(value.raw_json_token());
  if (token.empty()) return "nothing";
  switch (token.front()) {
    case '[':
      return "a list";
    case '{':
      return "an object";
    case '"':
      return in_quotes(token.substr(1, token.size() > 1 && token.back() == '"' ? token.size() - 2 : token.size() - 1));
    default:
      return token == "null" || token == "true" || token == "false" || is_number(token) ? std::string(token)
                                                                                        : in_quotes(token);
  }
}

}  // namespace

std::string Place::text() const {
  const std::string before = outer ? outer->text() : "";
  if (index != kNone) return fmt::format("{}[{}]", before, index);
  std::string name;
  for (const char c : field.substr(0, 60)) name += c >= ' ' && c < 0x7f ? c : '?';
  return before.empty() || before == "body" ? name : fmt::format("{}.{}", before, name);
}

void refuse(const Place& place, const std::string& found, std::string_view expected) {
  throw Error(ErrorCode::bad_input, fmt::format("{}: found {}; expected {}", place.text(), found, expected));
}

void refuse_value(od::value value, const Place& place, std::string_view expected) {
  refuse(place, found_at(value), expected);
}

void refuse_text(simdjson::error_code why, const Place& place) {
  throw Error(ErrorCode::bad_input, fmt::format("{}: no valid JSON: {}", place.text(), simdjson::error_message(why)));
}

double read_number(od::value value, const Place& place) {
  double x = 0;
  if (value.get_double().get(x)) refuse_value(value, place, "a number");
  return x;
}

float read_float(od::value value, const Place& place) {
  const double x = read_number(value, place);
  if (!fits_float(x)) refuse(place, fmt::format("{}", x), "a number that a float can hold");
  return static_cast<float>(x) + 0.0f;  // -0 becomes 0
}

std::size_t read_whole(od::value value, const Place& place, std::string_view expected) {
  std::uint64_t x = 0;
  if (value.get_uint64().get(x)) refuse_value(value, place, expected);
  return x;
}

bool read_flag(od::value value, const Place& place) {
  bool x = false;
  if (value.get_bool().get(x)) refuse_value(value, place, "true or false");
  return x;
}

std::string_view read_string(od::value value, const Place& place, std::string_view expected) {
  std::string_view text;
  if (const auto error = value.get_string().get(text)) {
    if (error == simdjson::INCORRECT_TYPE) refuse_value(value, place, expected);
    refuse_text(error, place);
  }
  return text;
}

std::string read_id(od::value value, const Place& place) {
  constexpr const char* kExpected = "a string or a whole number";
  std::int64_t number = 0;
  const std::string_view token = value.raw_json_token();
  if (!token.empty() && token.front() == '"') return std::string(read_string(value, place, kExpected));
  if (value.get_int64().get(number)) refuse_value(value, place, kExpected);
  return std::to_string(number);
}

od::array read_list(od::value value, const Place& place, std::string_view expected) {
  od::array list;
  if (const auto error = value.get_array().get(list)) {
    if (error == simdjson::INCORRECT_TYPE) refuse_value(value, place, expected);
    refuse_text(error, place);
  }
  return list;
}

od::object read_object(od::value value, const Place& place, std::string_view expected) {
  od::object object;
  if (const auto error = value.get_object().get(object)) {
    if (error == simdjson::INCORRECT_TYPE) refuse_value(value, place, expected);
    refuse_text(error, place);
  }
  return object;
}

void FieldWalk::note(std::string_view name) {
  std::size_t number = 0, begin = 0;
  for (; begin < known_.size(); ++number) {
    const std::size_t end = std::min(known_.find(", ", begin), known_.size());
    if (known_.substr(begin, end - begin) == name) break;
    begin = end + 2;
  }
  if (begin >= known_.size()) refuse(place_, fmt::format("the field {}", in_quotes(name)), known_);
  if (seen_ >> number & 1) refuse(place_, fmt::format("the field {} twice", in_quotes(name)), "it once");
  seen_ |= std::uint64_t{1} << number;
}

}  // namespace dorm::serve

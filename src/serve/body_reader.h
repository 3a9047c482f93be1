// SPDX-License-Identifier: Apache-2.0
// The JSON of a body, read from front to back without a tree. Whatever is wrong is an Error(bad_input) that says where:
// "documents[3].values[7]: found null; expected a number". No field is skipped: one that nobody knows is refused.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/number.h"
#include "serve/exchange.h"

namespace dorm::serve {

/// Where something stands: a chain from the value outwards, written out only for a message.
struct Place {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  const Place* outer = nullptr;
  std::string_view field = {};
  std::size_t index = kNone;  // of a list, instead of a field

  std::string text() const;
};

[[noreturn]] void refuse(const Place& place, const std::string& found, std::string_view expected);
[[noreturn]] void refuse_value(simdjson::ondemand::value value, const Place& place, std::string_view expected);
/// What is no JSON at all.
[[noreturn]] void refuse_text(simdjson::error_code why, const Place& place);

double read_number(simdjson::ondemand::value value, const Place& place);
/// A finite number that a float can hold, rounded as readers of files do.
float read_float(simdjson::ondemand::value value, const Place& place);

/// The same where it is a number in plain digits, as nearly all are: true for success. The text ends in a zero
/// byte, as strings do.
inline bool take_plain_float(simdjson::ondemand::value& value, float& out) {
  const char* const text = value.raw_json_token().data();
  const char *const digits = text + (*text == '-'), *end = text;
  double x = 0;
  const auto ends_value = [](char c) {
    return c == ',' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
  };
  if (!is_digit(digits[0]) || (digits[0] == '0' && is_digit(digits[1]))) return false;
  if (!parse_plain_number(end, x) || end[-1] == '.' || !ends_value(*end) || !fits_float(x)) return false;
  out = static_cast<float>(x) + 0.0f;  // -0 becomes 0
  return true;
}

std::size_t read_whole(simdjson::ondemand::value value, const Place& place, std::string_view expected);
bool read_flag(simdjson::ondemand::value value, const Place& place);
/// Valid until the parser reads another body.
std::string_view read_string(simdjson::ondemand::value value, const Place& place, std::string_view expected);
/// A string, or a whole number as text.
std::string read_id(simdjson::ondemand::value value, const Place& place);
simdjson::ondemand::array read_list(simdjson::ondemand::value value, const Place& place, std::string_view expected);

/// Calls body(value, index) for every value of a list.
template <class Body>
void each_value(simdjson::ondemand::array list, const Place& place, const Body& body) {
  std::size_t index = 0;
  for (auto element : list) {
    simdjson::ondemand::value value;
    if (const auto error = element.get(value)) refuse_text(error, place);
    body(value, index++);
  }
}

/// Calls take(number, index) for every number of a list.
template <class Take>
void each_float(simdjson::ondemand::array list, const Place& place, const Take& take) {
  std::size_t index = 0;
  for (auto element : list) {
    simdjson::ondemand::value value;
    if (const auto error = element.get(value)) refuse_text(error, place);
    float number = 0;
    if (!take_plain_float(value, number)) number = read_float(value, {&place, {}, index});
    take(number, index++);
  }
}

/// Calls body(name, value, place) for every field of an object; it answers whether it knows the name. A name that
/// occurs twice is refused: `seen` has a bit for each of the names that `known` lists, "a, b, c".
class FieldWalk {
 public:
  FieldWalk(const Place& place, std::string_view known) : place_(place), known_(known) {}

  template <class Body>
  void over(simdjson::ondemand::object object, const Body& body) {
    for (auto each : object) {
      simdjson::ondemand::field field;
      if (const auto error = std::move(each).get(field)) refuse_text(error, place_);
      std::string_view name;
      if (const auto error = field.unescaped_key().get(name)) refuse_text(error, place_);
      note(name);
      body(name, field.value(), Place{&place_, name});
    }
  }

 private:
  void note(std::string_view name);  // refuses what is not known, or known already

  const Place& place_;
  std::string_view known_;
  std::uint64_t seen_ = 0;
};

simdjson::ondemand::object read_object(simdjson::ondemand::value value, const Place& place, std::string_view expected);

/// The body as one object: body(object). What stands behind it is refused. `text` has room for its padding.
template <class Body>
void read_body(std::string& text, const Body& body) {
  thread_local simdjson::ondemand::parser kept;
  simdjson::ondemand::parser large;  // its memory, several times that of the text, is not kept
  simdjson::ondemand::parser& parser = text.size() > kKeptBody ? large : kept;
  const Place top{nullptr, "body"};
  if (text.capacity() < text.size() + simdjson::SIMDJSON_PADDING)
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  if (const auto error =
          parser.iterate(simdjson::padded_string_view(text.data(), text.size(), text.capacity())).get(document))
    refuse_text(error, top);
  simdjson::ondemand::object object;
  if (const auto error = document.get_object().get(object)) {
    if (error == simdjson::INCORRECT_TYPE) refuse(top, "something else", "an object");
    refuse_text(error, top);
  }
  body(object);
  const char* behind = nullptr;
  if (!document.current_location().get(behind)) refuse(top, "more behind the object", "its end");
}

}  // namespace dorm::serve

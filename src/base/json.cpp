// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dorm/error.h"

namespace dorm {
namespace {

bool too_deep(std::string_view text, std::size_t deepest) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else
        quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

template <class T>
bool take(const Json& json, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return false;
  } else if constexpr (std::is_integral_v<T>) {  // the library would turn true into 1, 1.5 into 1 and -1 into 2^64 - 1
    if (!json.is_number_unsigned()) return false;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number() || std::abs(json.get<double>()) > std::numeric_limits<T>::max()) return false;
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return false;
  } else {
    if (!json.is_array()) return false;
    value.resize(json.size());
    for (std::size_t i = 0; i < value.size(); ++i)
      if (!take(json[i], value[i])) return false;
    return true;
  }
  json.get_to(value);
  return true;
}

template <class T>
constexpr const char* description() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_integral_v<T>) return "a whole number from 0 on";
  if constexpr (std::is_floating_point_v<T>) return "a finite number";
  if constexpr (std::is_same_v<T, std::string>) return "text";
  return "a list of the expected kind";
}

std::string written(const Json& json, int indent, Json::error_handler_t not_utf8) {
  return json.dump(indent, ' ', false, not_utf8);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& name, std::string_view expected, std::size_t deepest) {
  const auto refuse = [&](const std::string& what) -> Json {
    throw Error(ErrorCode::bad_input, {name}, fmt::format("{}; expected {}", what, expected));
  };
  if (too_deep(text, deepest)) return refuse(fmt::format("JSON nested deeper than {} levels", deepest));
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return refuse(fmt::format("not JSON at byte {}", error.byte));
  } catch (const Json::exception&) {
    return refuse("a number is too large");
  }
}

std::string json_text(const Json& json, int indent) {
  try {
    return written(json, indent, Json::error_handler_t::strict);
  } catch (const Json::exception&) {
    throw Error(ErrorCode::bad_input, "a name is not UTF-8, so it cannot be written as JSON");
  }
}

std::string printable_json(const Json& json, int indent) {
  return written(json, indent, Json::error_handler_t::replace);
}

JsonFields::JsonFields(const Json& object, std::string file, std::string kind, std::string path)
    : object_(object), file_(std::move(file)), kind_(std::move(kind)), path_(std::move(path)) {
  if (object.is_object()) return;
  if (path_.empty()) refuse("it should be an object");
  path_.pop_back();
  fail("", "an object");
}

template <class T>
T JsonFields::required(const char* key, const char* expected) const {
  const auto field = object_.find(key);
  T value;
  if (field == object_.end() || !take(*field, value)) fail(key, expected ? expected : description<T>());
  return value;
}

template <class T>
T JsonFields::optional(const char* key, const char* expected, T fallback) const {
  const auto field = object_.find(key);
  return field == object_.end() || field->is_null() ? fallback : required<T>(key, expected);
}

JsonFields JsonFields::object(const char* key) const {
  const auto field = object_.find(key);
  if (field == object_.end()) fail(key, "an object");
  return JsonFields(*field, file_, kind_, path_ + key + ".");
}

const Json& JsonFields::list(const char* key, const char* expected) const {
  const auto field = object_.find(key);
  if (field == object_.end() || !field->is_array()) fail(key, expected);
  return *field;
}

std::vector<JsonFields> JsonFields::objects(const char* key, const char* expected) const {
  std::vector<JsonFields> out;
  for (const Json& each : list(key, expected))
    out.emplace_back(each, file_, kind_, fmt::format("{}{}[{}].", path_, key, out.size()));
  return out;
}

void JsonFields::fail(const std::string& key, std::string_view expected) const {
  refuse(fmt::format("\"{}{}\" should be {}", path_, key, expected));
}

void JsonFields::refuse(const std::string& why) const {
  throw Error(ErrorCode::bad_input, {file_}, fmt::format("not {}: {}", kind_, why));
}

#define DORM_JSON_FIELD(...)                                                     \
  template __VA_ARGS__ JsonFields::required(const char* key, const char*) const; \
  template __VA_ARGS__ JsonFields::optional(const char* key, const char*, __VA_ARGS__) const;
DORM_JSON_FIELD(bool)
DORM_JSON_FIELD(float)
DORM_JSON_FIELD(double)
DORM_JSON_FIELD(std::uint64_t)
DORM_JSON_FIELD(std::string)
DORM_JSON_FIELD(std::vector<double>)
DORM_JSON_FIELD(std::vector<std::uint64_t>)
DORM_JSON_FIELD(std::vector<std::string>)
DORM_JSON_FIELD(std::vector<std::vector<double>>)
#undef DORM_JSON_FIELD

}  // namespace dorm

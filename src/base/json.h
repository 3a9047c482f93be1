// SPDX-License-Identifier: Apache-2.0
// JSON as this project reads and writes it: one type, one reader, one writer, and one place where fields become
// numbers. The text may come from anywhere. Values are never nested deeply, so that copying and writing them is safe,
// and no number is cast before its kind and range are known.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace dorm {

using Json = nlohmann::ordered_json;

/// Our own files nest four levels.
inline constexpr std::size_t kDeepestJson = 32;

/// Throws Error(bad_input) that names `name` and `expected` for text that is no JSON, that nests deeper than `deepest`
/// levels, or that holds a number too large for a double.
Json parse_json(std::string_view text, const std::string& name, std::string_view expected,
                std::size_t deepest = kDeepestJson);

/// Throws Error(bad_input) for text that is not UTF-8.
std::string json_text(const Json& json, int indent = -1);
/// The same for output that is read and not loaded: what is not UTF-8 is replaced.
std::string printable_json(const Json& json, int indent = -1);

/// The fields of one object of a file. Throws Error(bad_input) that names the file, the field and what was expected.
/// Numbers are finite; whole numbers are written as such, not negative and in the range of T.
class JsonFields {
 public:
  /// `kind` says what the file should be, as in "a usable model"; `path` stands before the names of fields. The object
  /// must outlive this.
  JsonFields(const Json& object, std::string file, std::string kind, std::string path = "");

  const Json& json() const { return object_; }
  bool has(const char* key) const { return object_.contains(key); }
  /// T: bool, float, double, std::uint64_t, std::string, or a vector of double, std::uint64_t or std::string, or a
  /// vector of vectors of double.
  template <class T>
  T required(const char* key, const char* expected) const;
  /// `fallback` where the field is missing or null.
  template <class T>
  T optional(const char* key, const char* expected, T fallback) const;
  /// Required, where the type says enough of what is expected.
  template <class T>
  void read(const char* key, T& value) const {
    value = required<T>(key, nullptr);
  }
  JsonFields object(const char* key) const;
  /// The list itself; its values are unchecked.
  const Json& list(const char* key, const char* expected) const;
  /// The objects of a list.
  std::vector<JsonFields> objects(const char* key, const char* expected) const;
  [[noreturn]] void fail(const std::string& key, std::string_view expected) const;
  /// Anything else that is wrong with the file.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const Json& object_;
  std::string file_, kind_, path_;
};

}  // namespace dorm

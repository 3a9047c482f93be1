// SPDX-License-Identifier: Apache-2.0
// UBJSON (https://ubjson.org), as XGBoost writes it. Every value takes at least one byte, so that a short file cannot
// ask for much memory, and nesting is limited.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "model/trees/reading.h"

namespace dorm {
namespace {

constexpr std::size_t kDeepestUbjson = 32;  // XGBoost nests seven levels

class UbjsonReader {
 public:
  UbjsonReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Json read() {
    Json out = value(marker(), 0);
    while (at_ < bytes_.size() && bytes_[at_] == 'N') ++at_;
    if (at_ != bytes_.size()) refuse("the end of the file");
    return out;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    refuse_trees(name_, "XGBoost", fmt::format("UBJSON at byte {}; expected {}", at_ + 1, expected));
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) refuse(fmt::format("{} more bytes", count));
    const std::string_view out = bytes_.substr(at_, count);
    at_ += count;
    return out;
  }

  char marker() {
    char out = 'N';
    while (out == 'N') out = take(1).front();
    return out;
  }

  template <class T>
  T number() {
    const std::string_view raw = take(sizeof(T));
    char swapped[sizeof(T)];
    for (std::size_t k = 0; k < sizeof(T); ++k)
      swapped[std::endian::native == std::endian::little ? sizeof(T) - 1 - k : k] = raw[k];
    T out;
    std::memcpy(&out, swapped, sizeof(T));
    return out;
  }

  std::uint64_t size() {
    const Json json = value(marker(), 0);
    if (!json.is_number_integer() || json.get<std::int64_t>() < 0) refuse("a size");
    return json.get<std::uint64_t>();
  }

  Json value(char type, std::size_t depth) {
    if (depth > kDeepestUbjson) refuse(fmt::format("values nested at most {} deep", kDeepestUbjson));
    switch (type) {
      case 'Z':
        return nullptr;
      case 'T':
        return true;
      case 'F':
        return false;
      case 'i':
        return whole(number<std::int8_t>());
      case 'U':
        return whole(number<std::uint8_t>());
      case 'I':
        return whole(number<std::int16_t>());
      case 'l':
        return whole(number<std::int32_t>());
      case 'L':
        return whole(number<std::int64_t>());
      case 'd':
        return static_cast<double>(number<float>());
      case 'D':
        return number<double>();
      case 'S':
        return std::string(take(size()));
      case '[':
        return list(depth);
      case '{':
        return object(depth);
      default:
        refuse("the mark of a value");
    }
  }

  /// Those from 0 on without a sign, as in JSON text.
  static Json whole(std::int64_t x) { return x < 0 ? Json(x) : Json(static_cast<std::uint64_t>(x)); }

  struct Shape {
    char type = 0;  // of all values; 0: each has its own
    bool counted = false;
    std::uint64_t count = 0;
  };

  Shape shape() {
    Shape out;
    if (at_ < bytes_.size() && bytes_[at_] == '$') {
      ++at_;
      out.type = take(1).front();
      if (std::string_view("iUIlLdDS[{").find(out.type) == std::string_view::npos) refuse("a type that has content");
      if (at_ >= bytes_.size() || bytes_[at_] != '#') refuse("a count behind a type");
    }
    if (at_ < bytes_.size() && bytes_[at_] == '#') {
      ++at_;
      out.counted = true;
      out.count = size();
      if (out.count > bytes_.size() - at_) refuse(fmt::format("{} values", out.count));
    }
    return out;
  }

  bool ends(const Shape& shape, std::uint64_t have, char closing) {
    if (shape.counted) return have == shape.count;
    while (at_ < bytes_.size() && bytes_[at_] == 'N') ++at_;
    if (at_ < bytes_.size() && bytes_[at_] == closing) {
      ++at_;
      return true;
    }
    return false;
  }

  Json list(std::size_t depth) {
    const Shape of = shape();
    Json out = Json::array();
    for (std::uint64_t k = 0; !ends(of, k, ']'); ++k)
      out.push_back(value(of.type != 0 ? of.type : marker(), depth + 1));
    return out;
  }

  Json object(std::size_t depth) {
    const Shape of = shape();
    Json out = Json::object();
    for (std::uint64_t k = 0; !ends(of, k, '}'); ++k) {
      std::string key(take(size()));
      if (k >= kMembers) refuse(fmt::format("an object of at most {} members", kMembers));
      out[std::move(key)] = value(of.type != 0 ? of.type : marker(), depth + 1);
    }
    return out;
  }

  static constexpr std::uint64_t kMembers = 1024;  // looked up one by one; XGBoost has twenty

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

Json parse_ubjson(std::string_view bytes, const std::string& name) { return UbjsonReader(bytes, name).read(); }

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Numbers, vectors and texts as bytes, little-endian as in memory: a vector is a u64 count and its elements. Counts are
// checked against what is left before anything is allocated.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/checksum.h"
#include "dorm/error.h"

namespace dorm {

static_assert(std::endian::native == std::endian::little, "bytes are written in memory order");

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void value(T x) { bytes_.append(reinterpret_cast<const char*>(&x), sizeof x); }
  template <class T>
  void vector(const std::vector<T>& v) {
    value<std::uint64_t>(v.size());
    if (!v.empty()) bytes_.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T));
  }
  void text(std::string_view text) {
    value<std::uint64_t>(text.size());
    bytes_ += text;
  }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  /// `what` begins the message of every error, which is bad_input.
  ByteReader(std::string_view bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T value() {
    T x;
    take(&x, sizeof x);
    return x;
  }
  /// A count of things of at least `size` bytes each.
  std::uint64_t count(std::size_t size) {
    const auto n = value<std::uint64_t>();
    if (n > (bytes_.size() - at_) / size) refuse("a count is larger than what is left");
    return n;
  }
  template <class T>
  std::vector<T> vector() {
    std::vector<T> v(count(sizeof(T)));
    if (!v.empty()) take(v.data(), v.size() * sizeof(T));
    return v;
  }
  std::string text() {
    std::string text(count(1), '\0');
    take(text.data(), text.size());
    return text;
  }
  bool at_end() const { return at_ == bytes_.size(); }
  [[noreturn]] void refuse(const std::string& why) const { throw Error(ErrorCode::bad_input, what_ + ": " + why); }

 private:
  void take(void* to, std::size_t size) {
    if (size > bytes_.size() - at_) refuse("cut short");
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  std::string_view bytes_;
  std::string what_;
  std::size_t at_ = 0;
};

inline std::uint64_t checksum_of(std::string_view bytes) { return checksum(std::as_bytes(std::span(bytes))); }

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A quick hash of short texts, such as ids of documents, for tables that live for a moment.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace dorm {

/// Eight bytes at a time; the last eight may overlap those before them. The same on every machine of one byte order.
inline std::uint64_t text_hash(std::string_view text) {
  constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15u, kSecond = 0xD6E8FEB86659FD93u;
  const auto load = [&text](std::size_t at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    return bytes;
  };
  std::uint64_t hash = text.size() * kFirst;
  const auto mix = [&hash](std::uint64_t bytes) {
    hash = (hash ^ bytes) * kSecond;
    hash ^= hash >> 32;
  };
  if (text.size() >= 8) {
    for (std::size_t at = 0; at + 8 < text.size(); at += 8) mix(load(at));
    mix(load(text.size() - 8));
  } else {
    std::uint64_t bytes = 0;
    for (const char c : text) bytes = bytes << 8 | static_cast<unsigned char>(c);
    mix(bytes);
  }
  hash *= kFirst;
  return hash ^ hash >> 29;
}

}  // namespace dorm

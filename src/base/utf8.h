// SPDX-License-Identifier: Apache-2.0
// Characters of text in UTF-8, which may come from anywhere.
#pragma once

#include <cstddef>
#include <string_view>

namespace dorm {

struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;  // in bytes; 0: the bytes are no character of UTF-8
};

/// The first character of text that is not empty. Overlong forms, surrogates and what is beyond U+10FFFF are none.
inline Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf8 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || text.size() < length) return {};
  char32_t code = first & (0xffu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0u) != 0x80) return {};
    code = code << 6 | (byte(k) & 0x3fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kSmallest[length] || code > 0x10ffff || surrogate) return {};
  return {code, length};
}

}  // namespace dorm

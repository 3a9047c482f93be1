// SPDX-License-Identifier: Apache-2.0
#include "base/quote.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace dorm {
namespace {

// The length of the UTF-8 character at the start, if it is one that may be shown; 0 for controls and stray bytes.
std::size_t shown_character(std::string_view text) {
  const auto [code, length] = first_character(text);
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool reordering = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return control || reordering ? 0 : length;
}

/// Appends the first character of the text, escaped where it may not be shown, and returns its length.
std::size_t append_shown(std::string& out, std::string_view text) {
  const std::size_t length = shown_character(text);
  if (length == 0)
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
  else
    out += text.substr(0, length);
  return std::max<std::size_t>(length, 1);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool kept = text.front() == '\n' || text.front() == '\t';
    if (kept) out += text.front();
    text.remove_prefix(kept ? 1 : append_shown(out, text));
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (std::size_t place = 0; place < text.size();) {
    if (place >= kLongest) {
      out += "...";
      break;
    }
    const char c = text[place];
    const char* const escaped = c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : nullptr;
    const bool looks_blank = text.substr(place).starts_with("\xc2\xa0");  // a no-break space: nobody would see it
    if (escaped || looks_blank) out += escaped ? escaped : "\\xc2\\xa0";
    place += escaped ? 1 : looks_blank ? 2 : append_shown(out, text.substr(place));
  }
  return out + "'";
}

}  // namespace dorm

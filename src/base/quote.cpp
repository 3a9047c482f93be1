// SPDX-License-Identifier: Apache-2.0
#include "base/quote.h"

#include <fmt/format.h>

namespace dorm {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (char c : text.substr(0, kLongest)) {
    if (c == '\t')
      out += "\\t";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c >= 0x20 && c < 0x7f)
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (text.size() > kLongest) out += "...";
  return out + "'";
}

}  // namespace dorm

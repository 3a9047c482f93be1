// SPDX-License-Identifier: Apache-2.0
// Text in YAML.
#include <fmt/format.h>

#include <array>

#include "model/export/formats.h"

namespace dorm {
namespace {

struct Escape {
  std::string_view bytes, escaped;
};

/// Line breaks of YAML and what its readers refuse, beside the controls; in UTF-8.
constexpr std::array kYamlEscapes{
    Escape{"\"", "\\\""},
    Escape{"\\", "\\\\"},
    Escape{"\x7f", "\\x7f"},
    Escape{"\u2028", "\\u2028"},
    Escape{"\u2029", "\\u2029"},
    Escape{"\ufeff", "\\ufeff"},
    Escape{"\xef\xbf\xbe", "\\ufffe"},
    Escape{"\xef\xbf\xbf", "\\uffff"},
};

bool is_c1_control(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
}

}  // namespace

std::string yaml_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    std::size_t length = 1;
    if (static_cast<unsigned char>(text[0]) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(text[0]));
    } else if (is_c1_control(text)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[1]));
      length = 2;
    } else {
      std::string_view written = text.substr(0, 1);
      for (const Escape& escape : kYamlEscapes) {
        if (!text.starts_with(escape.bytes)) continue;
        written = escape.escaped;
        length = escape.bytes.size();
      }
      out += written;
    }
    text.remove_prefix(length);
  }
  return out + '"';
}

}  // namespace dorm

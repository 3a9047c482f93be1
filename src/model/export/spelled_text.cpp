// SPDX-License-Identifier: Apache-2.0
// Text of a model inside files that programs read: nothing in it may end a comment or a string early.
#include <fmt/format.h>

#include <array>

#include "base/utf8.h"
#include "model/export/formats.h"

namespace dorm {

std::u32string code_points(std::string_view target, std::string_view name) {
  std::u32string out;
  for (std::string_view rest = name; !rest.empty();) {
    const auto [code, length] = first_character(rest);
    if (length == 0) refuse_name(target, name, "it is not UTF-8");
    out += code;
    rest.remove_prefix(length);
  }
  return out;
}

std::string provenance(const Model& model) {
  std::string text = fmt::format("dorm {}, {}, scaling {}, data {:016x}", DORM_VERSION, model.measure,
                                 name_of(model.scaling.kind), model.data.fingerprint);
  for (char& c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && std::string_view(" .,:=@+-_()").find(c) == std::string_view::npos) c = '_';
  }
  return text;
}

std::string missing_rule(const Model& model) {
  const InputDescription& input = model.data.input;
  if (!input.missing_by_column.empty())
    return "A feature that is missing (NaN, infinite) counts as the value beside it.";
  switch (input.missing) {
    case Missing::query_min:
      return "A feature that is missing (NaN, infinite) counts as its smallest value in training.";
    case Missing::indicator:
    case Missing::mean:
      return "A feature that is missing (NaN, infinite) counts as its mean in training.";
    case Missing::zero:
      return "A feature that is missing (NaN, infinite) counts as 0.";
    case Missing::keep:
      if (model.curves) return "A feature that is missing is NaN: its curve says what that adds.";
      return "A feature that is missing is NaN: every split has a direction for it.";
    case Missing::error:
      break;
  }
  return "Features are finite numbers.";
}

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

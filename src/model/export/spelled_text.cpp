// SPDX-License-Identifier: Apache-2.0
// Text of a model inside files that programs read: nothing in it may end a comment or a string early.
#include <fmt/format.h>

#include "model/export/formats.h"

namespace dorm {
namespace {

/// The bytes that follow `first` in UTF-8, and what `first` adds to the code point; no such byte: more than 3.
struct Lead {
  std::size_t following;
  char32_t bits;
};

Lead lead_of(unsigned char first) {
  if (first < 0x80) return {0, first};
  if (first >= 0xC2 && first < 0xE0) return {1, first & 0x1FU};
  if (first >= 0xE0 && first < 0xF0) return {2, first & 0x0FU};
  if (first >= 0xF0 && first < 0xF5) return {3, first & 0x07U};
  return {4, 0};
}

}  // namespace

std::u32string code_points(std::string_view target, std::string_view name) {
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  std::u32string out;
  for (std::size_t i = 0; i < name.size();) {
    const auto [following, bits] = lead_of(static_cast<unsigned char>(name[i++]));
    if (following > 3 || name.size() - i < following) refuse_name(target, name, "it is not UTF-8");
    char32_t code = bits;
    for (std::size_t k = 0; k < following; ++k, ++i) {
      const auto byte = static_cast<unsigned char>(name[i]);
      if ((byte & 0xC0U) != 0x80) refuse_name(target, name, "it is not UTF-8");
      code = code << 6U | (byte & 0x3FU);
    }
    if (code < kSmallest[following] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      refuse_name(target, name, "it is not UTF-8");
    out += code;
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
  switch (model.data.input.missing) {
    case Missing::mean:
      return "A feature that is missing (NaN, infinite) counts as its mean in training.";
    case Missing::zero:
      return "A feature that is missing (NaN, infinite) counts as 0.";
    case Missing::error:
      break;
  }
  return "Features are finite numbers.";
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Text of a model inside files that programs read: nothing in it may end a comment or a string early.
#include <fmt/format.h>

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
      return "A feature that is missing is NaN: every split has a direction for it.";
    case Missing::error:
      break;
  }
  return "Features are finite numbers.";
}

}  // namespace dorm

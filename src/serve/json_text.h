// SPDX-License-Identifier: Apache-2.0
// JSON of answers, appended: the numbers of many documents without a tree.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/json.h"

namespace dorm::serve {

/// In quotes. What is not UTF-8 is replaced.
inline void append_text(std::string& out, std::string_view text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (!plain) {
    out += printable_json(Json(std::string(text)));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

/// So that it reads back as the same double. Finite.
inline void append_number(std::string& out, double x) { fmt::format_to(std::back_inserter(out), "{}", x); }
inline void append_number(std::string& out, std::size_t x) { fmt::format_to(std::back_inserter(out), "{}", x); }

}  // namespace dorm::serve

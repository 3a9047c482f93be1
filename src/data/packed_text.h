// SPDX-License-Identifier: Apache-2.0
// Many short strings in two arrays; owns what a TextColumn views.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/storage.h"

namespace dorm {

struct PackedText {
  std::vector<std::uint64_t> end;
  std::string text;

  bool empty() const { return end.empty(); }
  std::size_t size() const { return end.size(); }
  void push_back(std::string_view entry) {
    text += entry;
    end.push_back(text.size());
  }
  TextColumn view() const { return {end, {text.data(), text.size()}}; }
  std::string_view operator[](std::size_t i) const { return view()[i]; }
};

/// A column in which most rows may lack an entry; it takes no memory before the first one.
inline void set_entry(PackedText& column, std::size_t row, std::string_view entry) {
  if (entry.empty()) return;
  column.end.resize(row, column.text.size());
  column.push_back(entry);
}

}  // namespace dorm

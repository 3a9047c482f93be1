// SPDX-License-Identifier: Apache-2.0
// Header and section table of the binary form, as read: checked against the size of the file and against each other
// before anything else looks at them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/io/binary/binary.h"
#include "dorm/error.h"

namespace dorm {

class Layout {
 public:
  using Bytes = std::span<const std::byte>;

  Layout(Bytes bytes, std::string name);  // throws Error(bad_input)

  const std::string& name() const { return name_; }
  const BinaryHeader& header() const { return header_; }
  const std::vector<SectionEntry>& table() const { return table_; }
  Bytes content(std::size_t section) const { return content_[section]; }
  void move(std::size_t section, Bytes elsewhere) { content_[section] = elsewhere; }  // the same bytes in other memory

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorCode::bad_input, SourcePosition{.file = name_}, reason);
  }
  [[noreturn]] void refuse_damaged(const std::string& what) const {
    refuse(fmt::format("damaged: {}; convert the original data again", what));
  }

  /// An array of `count` elements; an absent section is an array of none.
  template <class T>
  std::span<const T> array(SectionId id, std::uint64_t count) const {
    const Bytes found = find(id);
    if (found.size() != count * sizeof(T))
      refuse_damaged(fmt::format("section {} holds {} bytes, expected {}", static_cast<std::uint32_t>(id), found.size(),
                                 count * sizeof(T)));
    return {reinterpret_cast<const T*>(found.data()), count};
  }
  /// Either all `count` elements or none.
  template <class T>
  std::span<const T> optional_array(SectionId id, std::uint64_t count) const {
    return array<T>(id, find(id).empty() ? 0 : count);
  }
  template <class T>
  std::span<const T> whole_array(SectionId id) const {
    return array<T>(id, find(id).size() / sizeof(T));
  }

 private:
  Bytes find(SectionId id) const;
  void read_header();
  [[noreturn]] void refuse_truncated() const;
  void read_table();
  void find_sections();
  void check_counts() const;

  Bytes bytes_;
  std::string name_;
  BinaryHeader header_;
  std::vector<SectionEntry> table_;
  std::vector<Bytes> content_;  // by section
};

}  // namespace dorm

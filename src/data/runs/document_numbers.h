// SPDX-License-Identifier: Apache-2.0
// The documents of one query by id: a table in two arrays, since a node of memory for each would cost more than the
// join of its scores.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace dorm {

/// Numbers documents from 0 in order of first appearance. Ids are views of the caller's.
class DocumentNumbers {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// For `at_most` different documents.
  explicit DocumentNumbers(std::size_t at_most) : slots_(std::bit_ceil(2 * at_most + 1), kNone) {}

  std::uint32_t add(std::string_view id) {
    std::uint32_t& slot = slots_[place_of(id)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(id);
    }
    return slot;
  }
  std::uint32_t find(std::string_view id) const { return slots_[place_of(id)]; }

  std::size_t size() const { return ids_.size(); }
  const std::vector<std::string_view>& ids() const { return ids_; }

 private:
  std::size_t place_of(std::string_view id) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::hash<std::string_view>()(id) & mask;
    while (slots_[at] != kNone && ids_[slots_[at]] != id) at = (at + 1) & mask;
    return at;
  }

  std::vector<std::uint32_t> slots_;
  std::vector<std::string_view> ids_;
};

}  // namespace dorm

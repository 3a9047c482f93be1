// SPDX-License-Identifier: Apache-2.0
// Equality of documents as equality of numbers, for parts that ask whether names or values are the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/kernel/part.h"

namespace dorm {

class EqualCodes {
 public:
  static constexpr std::uint32_t kUnknown = UINT32_MAX - 1;

  /// Of a part same_name or same_values.
  EqualCodes(const Part& part, const Documents& right);

  /// By right-hand document: the same number where they are equal.
  const std::vector<std::uint32_t>& of_right() const { return of_right_; }

  /// That of the right-hand documents which this one, with features `row`, is equal to; kUnknown: there are none.
  std::uint32_t find(const Documents& documents, std::size_t document, std::span<const float> row) const;

 private:
  std::string key(const Documents& documents, std::size_t document, std::span<const float> row) const;

  Part part_;
  std::unordered_map<std::string, std::uint32_t> codes_;
  std::vector<std::uint32_t> of_right_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "dorm/data/judgments.h"
#include "dorm/error.h"

namespace dorm {

IdTable::IdTable(std::vector<std::string> names) {
  names_.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (add(names[i]) != i)
      throw Error(ErrorCode::bad_input, fmt::format("\"{}\" appears twice in a list of names", names[i]));
}

std::uint32_t IdTable::add(std::string_view name) {
  const auto known = number_.find(name);
  if (known != number_.end()) return known->second;
  if (names_.size() == std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::unsupported, "more than 2^32 - 1 users or items");
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  number_.emplace(names_.back(), number);
  return number;
}

std::optional<std::uint32_t> IdTable::find(std::string_view name) const {
  const auto known = number_.find(name);
  return known == number_.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "data/column_numbers.h"

#include <algorithm>

namespace dorm {
namespace {

constexpr std::uint64_t kFewNumbers = 1024;    // below this, columns without values cost next to nothing
constexpr std::uint64_t kBitsPerColumn = 128;  // a map of so many bits is about as large as a sorted copy

// Sorts where the numbers are far apart, marks them in a map of bits elsewhere.
std::vector<std::uint32_t> distinct(std::span<const std::uint32_t> columns, std::uint64_t range) {
  std::vector<std::uint32_t> numbers;
  if (range / kBitsPerColumn > columns.size()) {
    numbers.assign(columns.begin(), columns.end());
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }
  std::vector<bool> occurs(range, false);
  for (const std::uint32_t column : columns) occurs[column] = true;
  for (std::uint64_t number = 0; number < range; ++number)
    if (occurs[number]) numbers.push_back(static_cast<std::uint32_t>(number));
  return numbers;
}

}  // namespace

std::vector<std::uint32_t> occurring_numbers(std::span<const std::uint32_t> columns, std::uint64_t range) {
  if (range < kFewNumbers) return {};
  std::vector<std::uint32_t> numbers = distinct(columns, range);
  if (!few_numbers_occur(numbers.size(), range)) return {};
  if (numbers.empty()) numbers.push_back(0);  // nothing but zeros: one column of them
  return numbers;
}

bool few_numbers_occur(std::uint64_t occurring, std::uint64_t range) {
  return range >= kFewNumbers && occurring <= range / 2;
}

void to_places(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> numbers,
               std::span<std::uint32_t> out) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    out[k] = static_cast<std::uint32_t>(std::lower_bound(numbers.begin(), numbers.end(), columns[k]) - numbers.begin());
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Numbered features of which few occur: a file may name feature 2147483647 and have three features in all. Such data is
// stored in the columns that occur, with the number of each beside them, so that whatever is made per column costs what
// the file costs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dorm {

/// The numbers, of `range` possible ones, that occur among `columns`, in increasing order. Empty when every number
/// shall be a column: there are few, or at least half of them occur.
std::vector<std::uint32_t> occurring_numbers(std::span<const std::uint32_t> columns, std::uint64_t range);

/// Whether the numbers that occur become the columns, by their count.
bool few_numbers_occur(std::uint64_t occurring, std::uint64_t range);

/// out[k] = the place of columns[k] among `numbers`, which hold it. May be done in place.
void to_places(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> numbers,
               std::span<std::uint32_t> out);

}  // namespace dorm

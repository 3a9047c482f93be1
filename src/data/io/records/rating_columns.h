// SPDX-License-Identifier: Apache-2.0
// What the cells of ratings files are called, and which of them hold nothing.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "data/io/records/rating_records.h"

namespace dorm {

/// "userId", "User_ID" and "user" are one name.
std::string plain_name(std::string_view cell);

/// Whether a column of this plain name holds users (0), items (1) or ratings (2).
bool means(std::size_t column, const std::string& name);

/// A line without a number in any cell.
bool is_header(const RatingRecords& line);

/// Nothing, NA, NaN, null, None or ?.
bool is_absent(std::string_view cell);

}  // namespace dorm

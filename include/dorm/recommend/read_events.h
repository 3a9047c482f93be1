// SPDX-License-Identifier: Apache-2.0
// Reads files of events.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dorm/read.h"
#include "dorm/recommend/events.h"

namespace dorm {

/// `user item [weight [time]]` per line, separated as in read_ratings(). A first line without a number in any cell is a
/// header; columns called user, item, weight (or rating, count, plays ...) and time (or timestamp) are then found by
/// name. Without a header the columns stand in this order. With `liked`, the third column is a rating: ratings of at
/// least this are events of weight 1, and the others are left out. Throws Error with file, line and column.
Events read_events(const std::string& path, std::optional<float> liked = {}, RatingsReport* report = nullptr);
Events parse_events(std::string_view text, const std::string& name, std::optional<float> liked = {},
                    RatingsReport* report = nullptr);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Names of rules, and of the features that they make.
#pragma once

#include <array>
#include <string_view>

#include "dorm/data/encoding.h"

namespace dorm {

inline constexpr std::string_view kGapName = "(missing)", kOthersName = "(other)";
inline constexpr std::array<std::string_view, 7> kWeekdays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
inline constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                             "jul", "aug", "sep", "oct", "nov", "dec"};

std::string_view rule_name(Encode rule);

inline bool is_date_rule(Encode rule) {
  return rule == Encode::age || rule == Encode::weekday || rule == Encode::month;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Dates in text as days from 1970-01-01.
#pragma once

#include <optional>
#include <string_view>

#include "dorm/data/encoding.h"

namespace dorm {

/// 2024-01-31, 2024/1/31, 31.1.2024; by the order also 1/31/2024, 1-31-24 or 31/1/2024; a time may follow a blank or T,
/// of hours, minutes and perhaps seconds, and Z or an offset such as +02:00. Without an offset the time is taken as
/// UTC. Years of two digits are 1969 to 2068. Nothing: it is no date.
std::optional<double> days_of(std::string_view text, DateOrder order);

/// Of a text that is a date under one order at least: the orders that read it.
struct ReadableOrders {
  bool day_first = false, month_first = false;
};
ReadableOrders readable_orders(std::string_view text);

unsigned weekday_of(double days);  // 0: Monday
unsigned month_of(double days);    // 0: January

}  // namespace dorm

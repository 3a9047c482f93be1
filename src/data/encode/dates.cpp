// SPDX-License-Identifier: Apache-2.0
#include "data/encode/dates.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>

#include "base/number.h"

namespace dorm {
namespace {

struct DateGroup {
  int value = 0;
  std::size_t digits = 0;
};

/// Up to `most` digits from the front of the text.
DateGroup take_digits(std::string_view& text, std::size_t most) {
  DateGroup group;
  while (!text.empty() && is_digit(text.front()) && group.digits < most) {
    group.value = group.value * 10 + (text.front() - '0');
    text.remove_prefix(1);
    ++group.digits;
  }
  return group;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> days_to(int year, int month, int day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(sys_days(date).time_since_epoch().count());
}

/// hh:mm[:ss[.fraction]] as a share of a day.
std::optional<double> take_clock(std::string_view& text) {
  const DateGroup hours = take_digits(text, 2);
  if (hours.digits == 0 || hours.value > 23 || !take(text, ':')) return std::nullopt;
  const DateGroup minutes = take_digits(text, 2);
  if (minutes.digits != 2 || minutes.value > 59) return std::nullopt;
  double seconds = 0;
  if (take(text, ':')) {
    const DateGroup whole = take_digits(text, 2);
    if (whole.digits != 2 || whole.value > 60) return std::nullopt;
    seconds = whole.value;
    if (take(text, '.') || take(text, ',')) {
      double unit = 1;
      bool any = false;
      for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), any = true)
        seconds += (unit /= 10) * (text.front() - '0');
      if (!any) return std::nullopt;
    }
  }
  return (hours.value * 3600.0 + minutes.value * 60.0 + seconds) / 86400.0;
}

/// What stands behind the day: nothing, or a time.
std::optional<double> time_of(std::string_view text) {
  if (text.empty()) return 0.0;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const std::optional<double> clock = take_clock(text);
  if (!clock) return std::nullopt;
  take(text, ' ');
  if (text.empty() || text == "Z" || text == "z" || text == "UTC" || text == "GMT") return clock;
  const double sign = text.front() == '-' ? 1 : -1;  // east of Greenwich it is later
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const DateGroup hours = take_digits(text, 2);
  take(text, ':');
  const DateGroup minutes = take_digits(text, 2);
  if (hours.digits != 2 || hours.value > 23 || minutes.value > 59 || minutes.digits == 1 || !text.empty())
    return std::nullopt;
  return *clock + sign * (hours.value * 60 + minutes.value) / 1440.0;
}

int whole_year(const DateGroup& year) {
  if (year.digits == 4) return year.value;
  return year.digits == 2 ? (year.value < 69 ? 2000 : 1900) + year.value : -1;
}

}  // namespace

std::optional<double> days_of(std::string_view text, DateOrder order) {
  std::array<DateGroup, 3> groups;
  groups[0] = take_digits(text, 4);
  if (text.empty()) return std::nullopt;
  const char separator = text.front();
  if (separator != '-' && separator != '/' && separator != '.') return std::nullopt;
  for (std::size_t k = 1; k < groups.size(); ++k) {
    if (!take(text, separator)) return std::nullopt;
    groups[k] = take_digits(text, 4);
  }
  for (const DateGroup& group : groups)
    if (group.digits == 0 || group.digits == 3) return std::nullopt;
  const std::optional<double> time = time_of(text);
  if (!time) return std::nullopt;
  std::optional<double> days;
  if (groups[0].digits == 4) {
    days = days_to(groups[0].value, groups[1].value, groups[2].value);
  } else if (order == DateOrder::month_first && separator != '.') {
    days = days_to(whole_year(groups[2]), groups[0].value, groups[1].value);
  } else if (order == DateOrder::day_first || separator == '.') {
    days = days_to(whole_year(groups[2]), groups[1].value, groups[0].value);
  }
  if (!days) return std::nullopt;
  return *days + *time;
}

ReadableOrders readable_orders(std::string_view text) {
  return {days_of(text, DateOrder::day_first).has_value(), days_of(text, DateOrder::month_first).has_value()};
}

unsigned weekday_of(double days) {
  const double thursdays = std::floor(days) + 3;  // 1970-01-01 was one
  return static_cast<unsigned>(thursdays - 7 * std::floor(thursdays / 7));
}

unsigned month_of(double days) {
  const std::chrono::sys_days day{std::chrono::days(static_cast<int>(std::floor(days)))};
  return static_cast<unsigned>(std::chrono::year_month_day(day).month()) - 1;
}

std::string date_text(double days) {
  const std::chrono::sys_days day{std::chrono::days(static_cast<int>(std::floor(days)))};
  const std::chrono::year_month_day date(day);
  const auto minutes = static_cast<int>(std::lround((days - std::floor(days)) * 1440));
  std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (minutes > 0) text += fmt::format("T{:02}:{:02}", minutes / 60, minutes % 60);
  return text;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dorm::report {
namespace {

constexpr double kIntervals = 5;    // between ticks, about
constexpr double kMostDecades = 7;  // with a tick each
constexpr double kTiny = 1e-280;    // too close to the smallest double to be divided
constexpr double kSlack = 1e-9;     // of a step: what rounding may add

/// 1, 2 or 5 times a power of ten, so that `span` has about kIntervals steps.
double round_step(double span) {
  const double rough = span / kIntervals;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/// "1e+06" as "1e6".
std::string short_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string exponent = text.substr(e + 1);
  const bool negative = exponent[0] == '-';
  exponent.erase(0, exponent.find_first_not_of("+-0"));
  return text.substr(0, e + 1) + (negative ? "-" : "") + exponent;
}

std::string linear_label(double value, double step) {
  const double largest = std::max(std::fabs(value), step);
  if (largest >= 1e6 || step < 1e-5) return short_exponent(fmt::format("{:.4g}", value));
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + kSlack)));
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

Scale::Scale(const Axis& axis, const std::vector<double>& values, bool rounded, double begin, double end)
    : log_(axis.log), begin_(begin), end_(end) {
  bool found = false;
  for (const double value : values) {
    if (!shows(value)) continue;
    low_ = found ? std::min(low_, value) : value;
    high_ = found ? std::max(high_, value) : value;
    found = true;
  }
  if (!found) {
    low_ = log_ ? 1 : 0;
    high_ = log_ ? 10 : 1;
  }
  if (axis.low && shows(*axis.low)) low_ = *axis.low;
  if (axis.high && shows(*axis.high)) high_ = *axis.high;
  if (log_)
    make_log(axis, rounded);
  else
    make_linear(axis, rounded);
}

bool Scale::shows(double value) const { return std::isfinite(value) && (!log_ || value > kTiny); }

double Scale::place(double value) const {
  const double v = std::clamp(value, low_, high_);
  const double share = log_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
  return begin_ + share * (end_ - begin_);
}

void Scale::lay_over(double begin, double end) {
  begin_ = begin;
  end_ = end;
}

void Scale::make_linear(const Axis& axis, bool rounded) {
  // One value, or values that differ by rounding only, are put in the middle.
  const double largest = std::max(std::fabs(low_), std::fabs(high_));
  if (!(high_ - low_ > std::max(largest * 1e-12, kTiny))) {
    const double around = axis.whole || largest < kTiny ? 1 : largest * 0.1;
    low_ -= around;
    high_ = low_ + 2 * around;
  }
  double step = round_step(high_ - low_);
  if (axis.whole) step = std::max(1.0, std::round(step));
  if (rounded && !axis.low) low_ = std::floor(low_ / step + kSlack) * step;
  if (rounded && !axis.high) high_ = std::ceil(high_ / step - kSlack) * step;
  const double first = std::ceil(low_ / step - kSlack);
  for (double k = first; k * step <= high_ + kSlack * step; ++k) {
    const double value = k == 0 ? 0 : k * step;
    ticks_.push_back({value, linear_label(value, step)});
  }
}

void Scale::make_log(const Axis& axis, bool rounded) {
  if (!(high_ > low_ * (1 + 1e-12))) {
    low_ /= 3;
    high_ *= 3;
  }
  if (rounded && !axis.low) low_ = std::pow(10.0, std::floor(std::log10(low_) + kSlack));
  if (rounded && !axis.high) high_ = std::pow(10.0, std::ceil(std::log10(high_) - kSlack));
  const double decades = std::log10(high_ / low_);
  const auto stride = static_cast<int>(std::ceil(decades / kMostDecades));
  const std::vector<double> leads = decades <= 2 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  const auto first = static_cast<int>(std::floor(std::log10(low_)));
  for (int decade = first; std::pow(10.0, decade) <= high_ * (1 + kSlack); ++decade) {
    if ((decade - first) % std::max(1, stride) != 0) continue;
    for (const double lead : leads) {
      const double value = lead * std::pow(10.0, decade);
      if (value >= low_ * (1 - kSlack) && value <= high_ * (1 + kSlack))
        ticks_.push_back({value, short_exponent(fmt::format("{:g}", value))});
    }
  }
}

}  // namespace dorm::report

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "dorm/error.h"
#include "dorm/oracle.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 7> kDecays = {{
    {"measure", "measure", "the measure's own position weights"},
    {"power", "power:d", "(rank + 1)^-d, d > 0"},
    {"log", "log", "1 / log(rank + 2)"},
    {"loglog", "loglog", "1 / log(log(rank + 2))"},
    {"measure+tail", "measure+tail[:eps]", "the measure's weights + eps rank^(-1/2); eps = 1e-3"},
    {"exponential", "exponential[:h]", "2^(-(rank - 1) / h), half-life h = 5"},
    {"discount", "discount", "1 / log2(rank + 1), the discount of dcg without a cutoff"},
}};
constexpr double kNoParameter = 0, kNeedsParameter = -1;
constexpr std::array<double, 7> kDefaults = {kNoParameter, kNeedsParameter, kNoParameter, kNoParameter, 1e-3, 5,
                                             kNoParameter};

double parse_parameter(std::string_view spec, std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(x) || x <= 0) {
    throw Error(ErrorCode::bad_option, fmt::format("decay \"{}\": \"{}\" is not a positive number", spec, text));
  }
  return x;
}

}  // namespace

std::span<const CatalogEntry> decay_catalog() { return kDecays; }

Decay::Decay(std::string_view spec) : name_(spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view family = spec.substr(0, colon);
  std::size_t row = 0;
  std::string known;
  for (; row < kDecays.size() && kDecays[row].name != family; ++row) {
    known += fmt::format("{}{}", row == 0 ? "" : ", ", kDecays[row].usage);
  }
  if (row == kDecays.size()) {
    throw Error(ErrorCode::unknown_name, fmt::format("unknown decay \"{}\"; expected {}", spec, known));
  }
  family_ = static_cast<Family>(row);
  parameter_ = kDefaults[row];
  if (colon != std::string_view::npos) {
    if (parameter_ == kNoParameter) {
      throw Error(ErrorCode::bad_option, fmt::format("decay \"{}\": {} takes no parameter", spec, family));
    }
    parameter_ = parse_parameter(spec, spec.substr(colon + 1));
  } else if (parameter_ == kNeedsParameter) {
    throw Error(ErrorCode::bad_option, fmt::format("decay \"{}\" needs a parameter, as in {}:0.5", spec, family));
  }
}

std::vector<double> Decay::values(std::span<const double> a) const {
  std::vector<double> c(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double rank = static_cast<double>(j) + 1;
    switch (family_) {
      case Family::measure:
        c[j] = a[j];
        break;
      case Family::power:
        c[j] = std::pow(rank + 1, -parameter_);
        break;
      case Family::log:
        c[j] = 1 / std::log(rank + 2);
        break;
      case Family::loglog:
        c[j] = 1 / std::log(std::log(rank + 2));
        break;
      case Family::measure_tail:
        c[j] = a[j] + parameter_ / std::sqrt(rank);
        break;
      case Family::exponential:
        c[j] = std::exp2(-(rank - 1) / parameter_);
        break;
      case Family::discount:
        c[j] = 1 / std::log2(rank + 1);
        break;
    }
    if (j > 0 && (c[j] > c[j - 1] || (c[j] == c[j - 1] && a[j] < a[j - 1]))) {
      throw Error(
          ErrorCode::bad_option,
          fmt::format("decay \"{}\" does not decrease from rank {} to {}, where the measure does", name_, j, j + 1));
    }
  }
  return c;
}

}  // namespace dorm

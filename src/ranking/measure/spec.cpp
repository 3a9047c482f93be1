// SPDX-License-Identifier: Apache-2.0
// The parameters of a measure's spelling: what it accepts, and their values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dorm/error.h"
#include "dorm/measure.h"

namespace dorm {
namespace {

const std::string* find_value(const MeasureSpec& spec, std::string_view key) {
  for (const auto& parameter : spec.parameters)
    if (parameter.first == key) return &parameter.second;
  return nullptr;
}

double parse_number(const MeasureSpec& spec, std::string_view key, std::string_view text, std::string_view expected) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": {} \"{}\"; expected {}", spec.spelling(), key, text, expected));
  return number;
}

}  // namespace

std::string MeasureSpec::spelling() const {
  std::string result = name;
  if (cutoff != kNoCutoff) result += fmt::format("@{}", cutoff);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    result += fmt::format("{}{}={}", i == 0 ? ':' : ',', parameters[i].first, parameters[i].second);
  return result;
}

void MeasureSpec::accept(Cutoff rule, std::initializer_list<std::string_view> keys) const {
  if (rule == Cutoff::required && cutoff == kNoCutoff)
    throw Error(ErrorCode::bad_option, fmt::format("measure \"{}\" needs a cutoff, e.g. \"{}@10\"", spelling(), name));
  if (rule == Cutoff::none && cutoff != kNoCutoff)
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": {} takes no cutoff; say \"{}\"", spelling(), name, name));
  for (const auto& parameter : parameters) {
    if (std::find(keys.begin(), keys.end(), parameter.first) != keys.end()) continue;
    const std::string accepted = keys.size() == 0 ? fmt::format("{} takes no parameters", name)
                                                  : fmt::format("{} accepts {}", name, fmt::join(keys, ", "));
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": unknown parameter \"{}\"; {}", spelling(), parameter.first, accepted));
  }
}

double MeasureSpec::number(std::string_view key, double otherwise, std::string_view expected) const {
  const std::string* value = find_value(*this, key);
  return value ? parse_number(*this, key, *value, expected) : otherwise;
}

std::vector<double> MeasureSpec::numbers(std::string_view key) const {
  std::vector<double> result;
  const std::string* value = find_value(*this, key);
  if (!value) return result;
  std::string_view rest = *value;
  while (true) {
    const std::size_t slash = rest.find('/');
    result.push_back(parse_number(*this, key, rest.substr(0, slash), "a finite number"));
    if (slash == std::string_view::npos) return result;
    rest.remove_prefix(slash + 1);
  }
}

std::string_view MeasureSpec::text(std::string_view key, std::string_view otherwise) const {
  const std::string* value = find_value(*this, key);
  return value ? std::string_view(*value) : otherwise;
}

}  // namespace dorm

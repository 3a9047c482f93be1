// SPDX-License-Identifier: Apache-2.0
#include "ranking/names/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dorm/error.h"

namespace dorm {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::size_t parse_cutoff(std::string_view spelling, std::string_view text) {
  std::size_t cutoff = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cutoff);
  if (error != std::errc() || end != text.data() + text.size() || cutoff == 0 || cutoff == MeasureSpec::kNoCutoff)
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": cutoff \"{}\"; expected a whole number from 1 on", spelling, text));
  return cutoff;
}

void parse_parameters(std::string_view spelling, std::string_view text, MeasureSpec& spec) {
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == piece.size())
      throw Error(ErrorCode::bad_option,
                  fmt::format("measure \"{}\": parameter \"{}\"; expected key=value", spelling, piece));
    std::string key = lower(piece.substr(0, equals));
    const bool repeated = std::any_of(spec.parameters.begin(), spec.parameters.end(),
                                      [&](const auto& other) { return other.first == key; });
    if (repeated) throw Error(ErrorCode::bad_option, fmt::format("measure \"{}\": {} is given twice", spelling, key));
    spec.parameters.emplace_back(std::move(key), lower(piece.substr(equals + 1)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

MeasureSpec parse_spelling(std::string_view spelling) {
  const std::size_t colon = spelling.find(':');
  const std::string_view head = spelling.substr(0, colon);
  const std::size_t at = head.find('@');
  MeasureSpec spec;
  spec.name = lower(head.substr(0, at));
  if (at != std::string_view::npos) spec.cutoff = parse_cutoff(spelling, head.substr(at + 1));
  if (colon != std::string_view::npos) parse_parameters(spelling, spelling.substr(colon + 1), spec);
  return spec;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "dorm/base/catalog.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// The parts between commas; a name that has commas of its own cannot be given.
std::vector<std::string_view> names_in(std::string_view list, std::string_view option) {
  std::vector<std::string_view> names;
  for (std::size_t first = 0; !list.empty() && first <= list.size();) {
    const std::size_t comma = std::min(list.find(',', first), list.size());
    names.push_back(list.substr(first, comma - first));
    if (names.back().empty())
      throw Error(
          ErrorCode::bad_option,
          fmt::format("{} \"{}\": a name is empty; expected names of features, separated by commas", option, list));
    first = comma + 1;
  }
  return names;
}

}  // namespace

void require_unsigned(const SignOptions& options, std::string_view method) {
  if (options.used())
    throw Error(ErrorCode::unsupported,
                fmt::format("the method {} learns weights of any sign; expected dorm or pairwise", method));
}

std::vector<std::int8_t> signs_of(const SignOptions& options, std::span<const std::string> features) {
  if (!options.used()) return {};
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<CatalogEntry> known;
  for (const std::string& feature : features) {
    index.emplace(feature, index.size());
    known.push_back({feature, feature, ""});
  }
  std::vector<std::int8_t> signs(features.size(), 0);
  const auto mark = [&](std::string_view list, std::string_view option, std::int8_t sign) {
    for (const std::string_view name : names_in(list, option)) {
      const auto found = index.find(name);
      if (found == index.end()) throw_unknown_name("feature", name, known);
      std::int8_t& own = signs[found->second];
      if (own == -sign)
        throw Error(ErrorCode::bad_option,
                    fmt::format("feature \"{}\" is both increasing and decreasing; expected one of them", name));
      own = sign;
    }
  };
  mark(options.increasing, "increasing", 1);
  mark(options.decreasing, "decreasing", -1);
  if (options.non_negative)
    for (std::int8_t& sign : signs)
      if (sign == 0) sign = 1;
  return signs;
}

}  // namespace dorm

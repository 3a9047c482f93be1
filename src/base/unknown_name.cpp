// SPDX-License-Identifier: Apache-2.0
// The message for an unknown name: the nearest known one, and all of them.
#include "base/unknown_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(current.begin(), current.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replaced, previous[j] + 1, current[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
  }
  return current[b.size()];
}

// Long names are cut, so that a message does not repeat a pasted file.
std::string shortened(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  return name.size() <= kLongest ? std::string(name) : std::string(name.substr(0, kLongest)) + "...";
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  std::string nearest;
  std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& each : known) {
    const std::size_t distance = edit_distance(name, each);
    if (distance >= best || distance >= each.size()) continue;
    best = distance;
    nearest = each;
  }
  return nearest;
}

void throw_unknown_name(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known) {
  const std::string shown = shortened(name);
  std::vector<std::string> names;
  for (const CatalogEntry& entry : known) names.emplace_back(entry.name);
  throw_unknown_name(kind, name, known, nearest_name(shown, names));
}

void throw_unknown_name(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known,
                        const std::string& nearest) {
  const std::string shown = shortened(name);
  std::vector<std::string> names;
  for (const CatalogEntry& entry : known) names.emplace_back(entry.name);
  const std::string hint = nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", nearest);
  throw Error(ErrorCode::unknown_name,
              fmt::format("unknown {} \"{}\"; {}known: {}", kind, shown, hint, fmt::join(names, ", ")));
}

}  // namespace dorm

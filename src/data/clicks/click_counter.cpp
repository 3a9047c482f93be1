// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <tuple>

#include "dorm/clicks/clicks.h"
#include "dorm/error.h"

namespace dorm {
namespace {

auto click_key(const ClickCount& row) {
  return std::tuple(row.query, row.document, row.position, row.ranker, row.context);
}

std::size_t hash_of_click(const ClickCount& row) {
  std::uint64_t h = (std::uint64_t{row.query} << 32) | row.document;
  h = (h ^ (h >> 31)) * 0x9E3779B97F4A7C15u;
  h ^= (std::uint64_t{row.position} << 40) ^ (std::uint64_t{row.ranker} << 20) ^ row.context;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::size_t>(h ^ (h >> 29));
}

}  // namespace

std::span<const ClickCount> ClickCounts::of_query(std::uint32_t query) const {
  const auto [first, last] = std::equal_range(rows.begin(), rows.end(), ClickCount{.query = query},
                                              [](const auto& a, const auto& b) { return a.query < b.query; });
  return {first, last};
}

std::uint32_t ClickCounts::num_positions() const {
  std::uint32_t largest = 0;
  for (const ClickCount& row : rows) largest = std::max(largest, row.position);
  return largest;
}

std::vector<double> ClickCounts::page_views() const {
  std::vector<double> views(queries.size(), 0.0);
  std::vector<double> at_position(num_positions() + std::size_t{1}, 0.0);
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    for (last = first; last < rows.size() && rows[last].query == rows[first].query; ++last)
      at_position[rows[last].position] += rows[last].impressions;
    double& most = views[rows[first].query];
    for (std::size_t i = first; i < last; ++i) {
      most = std::max(most, at_position[rows[i].position]);
      at_position[rows[i].position] = 0;
    }
  }
  return views;
}

// Neighbouring rows mostly share their query.
std::uint32_t ClickCounter::number_of(IdTable& table, Last& last, std::string_view name) {
  if (!last.known || last.name != name) last = {std::string(name), table.add(name), true};
  return last.number;
}

void ClickCounter::add(const Observation& seen) {
  const ClickCount key{.query = number_of(counts_.queries, query_, seen.query),
                       .document = counts_.documents.add(seen.document),
                       .position = seen.position,
                       .ranker = number_of(counts_.rankers, ranker_, seen.ranker),
                       .context = number_of(counts_.contexts, context_, seen.context)};
  ClickCount& row = counts_.rows[place_of(key)];
  row.impressions += seen.impressions;
  row.clicks += seen.clicks;
  ++counts_.log_rows;
}

std::uint32_t ClickCounter::place_of(const ClickCount& key) {
  if (2 * (counts_.rows.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_of_click(key) & mask;; at = (at + 1) & mask) {
    std::uint32_t& slot = slots_[at];
    if (slot == 0) {
      if (counts_.rows.size() == std::numeric_limits<std::uint32_t>::max() - 1)
        throw Error(ErrorCode::unsupported, "more than 2^32 - 2 different rows in a click log");
      counts_.rows.push_back(key);
      slot = static_cast<std::uint32_t>(counts_.rows.size());
    }
    if (click_key(counts_.rows[slot - 1]) == click_key(key)) return slot - 1;
  }
}

void ClickCounter::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = 0; place < counts_.rows.size(); ++place) {
    std::size_t at = hash_of_click(counts_.rows[place]) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(place + 1);
  }
}

ClickCounts ClickCounter::finish() {
  slots_ = {};
  std::sort(counts_.rows.begin(), counts_.rows.end(),
            [](const ClickCount& a, const ClickCount& b) { return click_key(a) < click_key(b); });
  return std::move(counts_);
}

}  // namespace dorm

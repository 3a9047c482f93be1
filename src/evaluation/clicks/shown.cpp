// SPDX-License-Identifier: Apache-2.0
#include "evaluation/clicks/shown.h"

#include <algorithm>

namespace dorm {

void Shown::for_each_query(const std::function<void(std::size_t first, std::size_t end)>& visit) const {
  for (std::size_t first = 0, end = 0; first < num_documents(); first = end) {
    while (end < num_documents() && query_[end] == query_[first]) ++end;
    visit(first, end);
  }
}

Shown shown_in(const ClickCounts& counts, std::uint32_t context) {
  const auto counted = [context](const ClickCount& row) { return row.context == context && row.impressions > 0; };
  Shown shown;
  std::vector<std::uint32_t> place(counts.num_positions() + std::size_t{1}, 0);
  for (const ClickCount& row : counts.rows)
    if (counted(row)) place[row.position] = 1;
  for (std::uint32_t position = 0; position < place.size(); ++position) {
    if (place[position] == 0) continue;
    place[position] = static_cast<std::uint32_t>(shown.positions.size());
    shown.positions.push_back(position);
  }
  for (const ClickCount& row : counts.rows) {
    if (!counted(row)) continue;
    if (shown.query_.empty() || shown.query_.back() != row.query || shown.document_.back() != row.document) {
      shown.query_.push_back(row.query);
      shown.document_.push_back(row.document);
      shown.first_.push_back(shown.first_.back());
    }
    const bool same =
        shown.first_.back() > shown.first_[shown.first_.size() - 2] && shown.cells_.back().place == place[row.position];
    if (!same) {
      shown.cells_.push_back({place[row.position], 0, 0});
      ++shown.first_.back();
    }
    shown.cells_.back().impressions += row.impressions;
    shown.cells_.back().clicks += row.clicks;
  }
  return shown;
}

}  // namespace dorm

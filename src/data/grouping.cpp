// SPDX-License-Identifier: Apache-2.0
// Gathers the rows of each query, wherever they are in the input.
#include <fmt/format.h>

#include <unordered_map>

#include "data/assemble.h"
#include "dorm/error.h"

namespace dorm {
namespace {

struct Run {
  std::uint32_t query;
  std::uint64_t rows;
};

// From runs of consecutive rows to the first document of each query; places rows when queries are spread.
void place_rows(const std::vector<Run>& runs, Grouping& grouping) {
  std::vector<std::uint64_t> size(grouping.query_ids.size(), 0);
  for (const Run& run : runs) size[run.query] += run.rows;
  std::uint64_t total = 0;
  for (std::uint64_t n : size) grouping.query_end.push_back(total += n);
  if (grouping.merged_blocks == 0) return;
  std::vector<std::uint64_t> next(size.size());
  for (std::size_t q = 0; q < size.size(); ++q) next[q] = grouping.query_end[q] - size[q];
  grouping.source_rows.resize(total);
  std::uint64_t row = 0;
  for (const Run& run : runs)
    for (std::uint64_t k = 0; k < run.rows; ++k) grouping.source_rows[next[run.query]++] = row++;
}

}  // namespace

Grouping group_by_query_id(const std::vector<RowBlock>& blocks) {
  Grouping grouping;
  std::unordered_map<std::string_view, std::uint32_t> index;
  std::vector<Run> runs;
  for (const RowBlock& block : blocks) {
    for (std::size_t r = 0; r < block.queries.size(); ++r) {
      const std::string_view id = block.queries[r];
      const std::uint64_t rows = block.query_rows[r];
      if (!runs.empty() && grouping.query_ids[runs.back().query] == id) {
        runs.back().rows += rows;
        continue;
      }
      if (index.size() == UINT32_MAX) throw Error(ErrorCode::bad_input, "more than 4294967295 queries");
      const auto [entry, is_new] = index.try_emplace(id, static_cast<std::uint32_t>(index.size()));
      if (is_new) {
        grouping.query_ids.push_back(id);
      } else if (grouping.merged_blocks++ == 0) {
        grouping.first_merged = id;
      }
      runs.push_back({entry->second, rows});
    }
  }
  place_rows(runs, grouping);
  return grouping;
}

Grouping group_by_size(const std::vector<std::uint64_t>& sizes) {
  Grouping grouping;
  std::uint64_t total = 0;
  for (std::uint64_t size : sizes) {
    grouping.query_end.push_back(total += size);
    grouping.query_ids.push_back(fmt::format_int(grouping.query_end.size()).c_str());
  }
  return grouping;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "data/runs/run_parts.h"

#include <unordered_map>

#include "base/parallel.h"

namespace dorm {

std::vector<PartsOfQuery> parts_of_queries(std::span<const NamedRun> runs, std::span<const std::string_view> first,
                                           std::size_t threads) {
  std::vector<std::vector<RunPart>> parts(runs.size());
  parallel_for(runs.size(), threads, [&](std::size_t r, std::size_t) {
    const std::vector<RunEntry>& entries = runs[r].entries;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      while (end < entries.size() && entries[end].query == entries[begin].query) ++end;
      parts[r].push_back({r, begin, end});
    }
  });
  std::vector<PartsOfQuery> queries;
  std::unordered_map<std::string_view, std::size_t> place;
  const auto query_of = [&](std::string_view id) -> PartsOfQuery& {
    const auto [slot, added] = place.try_emplace(id, queries.size());
    if (added) queries.push_back({id, {}});
    return queries[slot->second];
  };
  for (const std::string_view id : first) query_of(id);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const RunPart& part : parts[r]) query_of(runs[r].entries[part.begin].query).parts.push_back(part);
  return queries;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Where the entries of a query stand in a run.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "dorm/fusion/runs.h"

namespace dorm {

/// Entries [begin, end) of a run, all of one query.
struct RunPart {
  std::size_t run = 0, begin = 0, end = 0;
};

struct PartsOfQuery {
  std::string_view query;
  std::vector<RunPart> parts;  // in the order of the runs, then of their entries
};

/// Queries in the order given first, then of their first entries. Entries of a query mostly stand together, so that few
/// ids are looked up.
std::vector<PartsOfQuery> parts_of_queries(std::span<const NamedRun> runs, std::span<const std::string_view> first,
                                           std::size_t threads);

}  // namespace dorm

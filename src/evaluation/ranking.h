// SPDX-License-Identifier: Apache-2.0
// From scores to a ranking under a rule for ties.
#pragma once

#include <vector>

#include "base/vector/sort.h"
#include "dorm/evaluate.h"

namespace dorm {

/// Buffers of one thread, reused from query to query.
struct RankedQuery {
  std::vector<std::uint32_t> documents, block_end;
  SortWorkspace sorting;
  TiedRanking view() const { return {documents, block_end}; }
};

/// Documents by decreasing score; blocks of equal scores are kept only under Ties::expected.
void rank(const ScoredQuery& query, Ties ties, RankedQuery& out);

}  // namespace dorm

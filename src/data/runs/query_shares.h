// SPDX-License-Identifier: Apache-2.0
// The shares of query features by query id.
#pragma once

#include <string_view>
#include <vector>

#include "dorm/fusion/runs.h"

namespace dorm {

/// A table of queries, its columns found by the names of query features.
class QueryShares {
 public:
  /// `table` may be null where `input` has no query features. Throws Error(bad_input) for one that it lacks; a word
  /// that no query of the table has is 0.
  QueryShares(const FusionInput& input, const SideFeatures* table);

  /// Throws Error(bad_input) for a query that is not in the table.
  std::vector<double> of(std::string_view query) const;

 private:
  const FusionInput& input_;
  const SideFeatures* table_;
  std::vector<std::size_t> column_of_;  // by query feature; the number of columns: a word that is not there
};

}  // namespace dorm

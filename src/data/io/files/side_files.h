// SPDX-License-Identifier: Apache-2.0
// Files beside a data file that say what its rows do not: FILE.query or FILE.group, the number of rows of each query,
// and FILE.weight, one number per query or per row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/assemble.h"

namespace dorm {

struct SideFiles {
  std::string sizes, weights;  // paths; empty: there is none
};

/// Beside `path`, or beside its name without .gz or .zst.
SideFiles find_side_files(const std::string& path);

/// One positive whole number per line; their sum must be `rows`.
std::vector<std::uint64_t> read_query_sizes(const std::string& path, std::uint64_t rows);

/// One weight per query. Weights per row are accepted when they agree within each query.
std::vector<double> read_query_weights(const std::string& path, const Grouping& grouping);

}  // namespace dorm

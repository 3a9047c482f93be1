// SPDX-License-Identifier: Apache-2.0
// The one way to run many independent cells: those that an earlier run has left are read, the others are computed side
// by side and kept as soon as they are done.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dorm/lab/comparison.h"
#include "lab/compare/cell_store.h"

namespace dorm {

/// Cells by number. `key` names everything a cell's record depends on; `method` is shown while it runs. `compute` asks
/// `wanted` now and then and returns nothing once that says no; it need not set the key of its record. `fits` says
/// whether a record that was found can be that of its cell: sizes and ranges; one that does not fit is computed again.
struct CellWork {
  std::size_t count = 0;
  std::function<std::string(std::size_t)> key, method;
  std::function<std::optional<CellRecord>(std::size_t, const std::function<bool()>& wanted)> compute;
  std::function<bool(std::size_t, const CellRecord&)> fits;
};

/// The records in the order of the cells; nothing when the observer stopped it. Finished cells are kept in `directory`,
/// which is made; empty: nowhere. The observer is called by one thread at a time.
std::optional<std::vector<CellRecord>> run_cells(const CellWork& work, const std::string& directory,
                                                 std::size_t threads, const ComparisonObserver& observer);

}  // namespace dorm

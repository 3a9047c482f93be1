// SPDX-License-Identifier: Apache-2.0
// The cells of a tuning grid. Kernels are tried one after the other, since each has its Gram matrix or features. For
// one, the grid is cut into paths: one (split, measure, decay, bound, start) each, solved over rising C with a warm
// start. Paths run in parallel and do not see each other, so the choice does not depend on the number of threads.
#pragma once

#include <vector>

#include "learning/train/task.h"

namespace dorm {

/// Every cell that was judged, before one is chosen; `grid` names measures and kernels. After grid.train.solve.seconds
/// (0: no limit) problems end where they stand and no other is begun; the first cell is always judged. Throws
/// Error(bad_input) when nothing could be judged.
std::vector<TuneCell> judge_grid(const Task& task, TuneOptions grid, const Task* validation,
                                 const TuneObserver& observer);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// What the trainings of a grid may keep in memory.
#pragma once

#include "dorm/tune.h"
#include "learning/train/learning_task.h"
#include "learning/train/memory.h"

namespace dorm {

/// Of one path on one split. Without options.train.compute.memory there is no limit, but that splits share the cache of
/// an exact kernel. Throws Error(bad_option) when the memory is not enough.
MemoryShares shares_of(const LearningTask& task, const TuneOptions& options, const LearningTask* validation);

}  // namespace dorm

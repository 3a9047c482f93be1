// SPDX-License-Identifier: Apache-2.0
// How much memory a training takes, before it starts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dorm/data/scale.h"
#include "dorm/dataset.h"
#include "dorm/train.h"

namespace dorm {

/// In bytes. Upper bounds, except that planes in use are never dropped.
struct MemoryForecast {
  std::uint64_t features = 0;      // as read; 0 when mapped
  std::uint64_t mapped = 0;        // not counted in total()
  std::uint64_t scaled = 0;        // scaled features that are kept
  std::uint64_t least_scaled = 0;  // what training cannot do without: of a linear ranker on dense features, nothing
  std::uint64_t most_scaled = 0;   // all of them
  std::uint64_t kernel = 0;
  std::uint64_t kept = 0;          // weights and values of grid points
  std::uint64_t queries = 0;       // prepared labels, references, ids
  std::uint64_t planes = 0;        // every cache full
  std::uint64_t least_planes = 0;  // what training cannot do without

  std::uint64_t total() const { return least() - least_planes + planes - least_scaled + scaled; }
  std::uint64_t least() const { return features + least_scaled + kernel + kept + queries + least_planes; }
};

/// The scaling that the options name; for `auto`, the one that suits the data and options.target, which takes a pass
/// over the features. Throws Error(bad_option) for a scaling that the target cannot evaluate.
ScalingKind settle_scaling(const Dataset& data, const TrainOptions& options);

/// The memory that train() takes on this data. Within options.compute.memory, unless it is 0 or that of a GPU, fewer
/// cutting planes, scaled features and kernel values are kept. Throws Error(bad_option) when the limit is too low even
/// so.
MemoryForecast forecast_memory(const Task& task, const TrainOptions& options, const Task& validation = {});

}  // namespace dorm

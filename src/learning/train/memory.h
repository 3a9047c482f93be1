// SPDX-License-Identifier: Apache-2.0
// How much memory training will take at most, told before it starts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dorm/data/scale.h"
#include "dorm/dataset.h"
#include "learning/train/kernel_options.h"

namespace dorm {

/// What the prediction depends on.
struct MemoryInput {
  std::uint64_t queries = 0, documents = 0, features = 0;
  std::uint64_t nonzeros = 0;  // stored values
  bool dense = true;
  bool mapped = false;           // features lie in a mapped file, whose pages the system takes back at need
  bool scaled = false;           // training works on scaled features
  std::uint64_t copies = 1;      // of the data made ready: scaled features, kernels
  std::uint64_t running = 0;     // trainings side by side, each with prepared queries and planes; 0: one for each copy
  std::uint64_t plane_sets = 1;  // caches of planes that each of them holds
  std::uint64_t validation = 0;  // documents of validation data, read and scaled besides
  std::uint64_t learnable = 0;   // documents of queries that an exact kernel keeps; 0: all
  std::uint64_t kept = 0;        // bytes: weights and figures of what was judged
  std::size_t planes_per_block = 50;
  std::uint64_t kernel = 0;        // bytes: rows of a Gram matrix, or the features that stand for a kernel
  std::uint64_t plane_length = 0;  // numbers in a plane; 0: by the features
};

/// In bytes. Upper bounds, except that planes in use are never dropped.
struct MemoryForecast {
  std::uint64_t features = 0;      // as read; 0 when mapped
  std::uint64_t mapped = 0;        // not counted in total()
  std::uint64_t scaled = 0;        // scaled features that are kept
  std::uint64_t least_scaled = 0;  // what training cannot do without: of a linear ranker on dense features, nothing
  std::uint64_t most_scaled = 0;   // all of them
  std::uint64_t kernel = 0;
  std::uint64_t kept = 0;          // of what was judged
  std::uint64_t queries = 0;       // prepared labels, references, ids
  std::uint64_t planes = 0;        // every cache full
  std::uint64_t least_planes = 0;  // what training cannot do without

  std::uint64_t total() const { return least() - least_planes + planes - least_scaled + scaled; }
  std::uint64_t least() const { return features + least_scaled + kernel + kept + queries + least_planes; }
};

MemoryForecast predict_memory(const MemoryInput& input);

/// Lowers `planes` and `scaled` so that total() is at most `limit`; what is left beyond them goes to `scaled`. Throws
/// Error(bad_option) when least() is above it, saying what would help.
void limit_memory(MemoryForecast& forecast, std::uint64_t limit);

MemoryInput memory_input(const Dataset& data, ScalingKind scaling, bool mapped);

/// What a kernel changes of it; so many documents are validated on.
void add_kernel(MemoryInput& input, const KernelOptions& kernel, std::uint64_t validation = 0);

/// Numbers in the weights of a ranker.
std::uint64_t num_weights(const MemoryInput& input, const KernelOptions& kernel);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// How much memory training will take at most, by the shape of the data, and how a limit is shared out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dorm/data/scale.h"
#include "dorm/dataset.h"
#include "dorm/learning/memory.h"
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
  std::uint64_t kept = 0;        // bytes: weights and validation values of grid points
  std::size_t planes_per_block = 50;
  std::uint64_t kernel = 0;        // bytes: rows of a Gram matrix, or the features that approximate a kernel
  std::uint64_t plane_length = 0;  // numbers in a plane; 0: by the features
};

MemoryForecast predict_memory(const MemoryInput& input);

/// Lowers `planes` and `scaled` so that total() is at most `limit`; what is left beyond them goes to `scaled`. Throws
/// Error(bad_option) when least() is above it, saying what would help.
void limit_memory(MemoryForecast& forecast, std::uint64_t limit);

MemoryInput memory_input(const Dataset& data, ScalingKind scaling);

/// What a kernel changes of it. `validation` is a number of documents.
void add_kernel(MemoryInput& input, const KernelOptions& kernel, std::uint64_t validation = 0);

/// Numbers in the weights of a ranker.
std::uint64_t num_weights(const MemoryInput& input, const KernelOptions& kernel);

/// What is held in memory beside one training.
struct TrainingLoad {
  std::size_t functions = 1;              // scoring functions of a ranker: a plane has the features of each
  std::size_t folds = 0;                  // each with data of its own; 0: none
  std::size_t running = 1;                // trainings side by side
  std::size_t plane_sets = 1;             // caches of planes that each of them holds
  std::vector<std::string> kernels = {};  // tried one after the other; none: that of the options
  std::size_t points = 0;                 // evaluated weights that are kept
  std::size_t copies_of_points = 1;
};

struct MemoryPlan {
  MemoryForecast forecast;
  MemoryShares shares;
};

/// Forecasts the memory of a training, and shares options.compute.memory out, if it is given. Throws Error(bad_option)
/// when that is not enough.
MemoryPlan plan_memory(const Dataset& data, const Dataset* validation, const TrainOptions& options,
                       const TrainingLoad& load);

}  // namespace dorm

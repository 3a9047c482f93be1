// SPDX-License-Identifier: Apache-2.0
// What TrainOptions say about the kernel, or without one about scaled rows and the signs of weights.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dorm/base/compute.h"
#include "dorm/train.h"
#include "model/features/curve_features.h"
#include "model/kernel/feature_map.h"

namespace dorm {

/// Rows of a Gram matrix that are kept where no limit on memory is given.
inline constexpr std::uint64_t kDefaultCache = 2'000'000'000;

/// What one training may keep, in bytes.
struct MemoryShares {
  std::uint64_t planes = 0;             // in one cache of planes; 0: no limit
  std::uint64_t scaled = 0;             // scaled rows of the training data; 0: by their size
  std::uint64_t cache = kDefaultCache;  // rows of the Gram matrix of an exact kernel
};

struct KernelOptions {
  std::string spec = "none";
  std::string approximation = "none";
  std::uint64_t cache_bytes = kDefaultCache;  // for rows of the Gram matrix, without an approximation
  const Kernel* function = nullptr;
  ComputeOptions place = {};       // where rows are visited, values and features are made; threads: those of the set
  std::uint64_t scaled_bytes = 0;  // for scaled rows of a linear ranker; 0: by their size
  SignOptions signs = {};          // of a linear ranker
  std::string curves = "none";     // beside its weights
  std::shared_ptr<const CurveBasis> basis = nullptr;  // fitted before, to more data; null: fitted to this
  MapWatch watch = {};                                // of an approximation while it is fitted and applied

  KernelOptions() = default;
  explicit KernelOptions(const TrainOptions& options, const MemoryShares& shares = {})
      : spec(options.kernel),
        approximation(options.approximation),
        cache_bytes(shares.cache),
        function(options.kernel_function),
        place{.threads = 0, .device = options.compute.device, .memory = options.compute.memory},
        scaled_bytes(shares.scaled),
        signs(options.signs),
        curves(options.curves) {}

  ComputeOptions place_with(std::size_t threads) const { return {threads, place.device, place.memory}; }
  /// Kernel values of validation documents are kept besides.
  std::uint64_t validation_cache() const { return cache_bytes / 4; }
  bool used() const { return function != nullptr || spec != "none"; }
  bool exact() const { return used() && approximation == "none"; }
};

}  // namespace dorm

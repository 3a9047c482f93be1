// SPDX-License-Identifier: Apache-2.0
// What TrainOptions say about the kernel, or without one about scaled rows.
#pragma once

#include <cstdint>
#include <string>

#include "dorm/base/compute.h"
#include "dorm/train.h"

namespace dorm {

struct KernelOptions {
  std::string spec = "none";
  std::string approximation = "none";
  std::uint64_t cache_bytes = 0;
  const Kernel* function = nullptr;
  ComputeOptions place = {};       // where rows are visited, values and features are made; threads: those of the set
  std::uint64_t scaled_bytes = 0;  // for scaled rows of a linear ranker; 0: by their size

  KernelOptions() = default;
  explicit KernelOptions(const TrainOptions& options)
      : spec(options.kernel),
        approximation(options.approximation),
        cache_bytes(options.cache_bytes),
        function(options.kernel_function),
        place{.threads = 0, .device = options.device, .device_bytes = options.device_bytes},
        scaled_bytes(options.scaled_bytes) {}

  ComputeOptions place_with(std::size_t threads) const { return {threads, place.device, place.device_bytes}; }
  /// Kernel values of validation documents are kept besides.
  std::uint64_t validation_cache() const { return cache_bytes / 4; }
  bool used() const { return function != nullptr || spec != "none"; }
  bool exact() const { return used() && approximation == "none"; }
};

}  // namespace dorm

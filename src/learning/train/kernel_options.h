// SPDX-License-Identifier: Apache-2.0
// What TrainOptions say about the kernel, or without one about scaled rows.
#pragma once

#include <cstdint>
#include <string>

#include "dorm/train.h"

namespace dorm {

struct KernelOptions {
  std::string spec = "none";
  std::string approximation = "none";
  std::uint64_t cache_bytes = 0;
  const Kernel* function = nullptr;
  std::uint64_t scaled_bytes = 0;  // for scaled rows of a linear ranker; 0: by their size

  KernelOptions() = default;
  explicit KernelOptions(const TrainOptions& options)
      : spec(options.kernel),
        approximation(options.approximation),
        cache_bytes(options.cache_bytes),
        function(options.kernel_function),
        scaled_bytes(options.scaled_bytes) {}

  /// Kernel values of validation documents are kept besides.
  std::uint64_t validation_cache() const { return cache_bytes / 4; }
  bool used() const { return function != nullptr || spec != "none"; }
  bool exact() const { return used() && approximation == "none"; }
};

}  // namespace dorm

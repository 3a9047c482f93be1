// SPDX-License-Identifier: Apache-2.0
// Where a computation runs, and how much memory it may take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dorm {

struct ComputeOptions {
  std::size_t threads = 0;     // of this process; 0: all cores; results do not depend on it
  std::string device = "cpu";  // or cuda (an NVIDIA GPU), cuda:N (docs/gpu.md)
  /// Most bytes to take: on the cpu by training, in this process; on a GPU, there. 0: as the defaults need; what is
  /// free.
  std::uint64_t memory = 0;

  /// The limit for what is kept in this process; 0: none.
  std::uint64_t process_memory() const { return on_device() ? 0 : memory; }

  bool on_device() const { return device != "cpu"; }
};

}  // namespace dorm

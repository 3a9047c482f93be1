// SPDX-License-Identifier: Apache-2.0
// Where scores and kernel values are computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dorm {

struct ComputeOptions {
  std::size_t threads = 0;         // of this process; 0: all cores
  std::string device = "cpu";      // or cuda (an NVIDIA GPU), cuda:N (docs/gpu.md)
  std::uint64_t device_bytes = 0;  // most memory of the device to take; 0: what is free there

  bool on_device() const { return device != "cpu"; }
};

}  // namespace dorm

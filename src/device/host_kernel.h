// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel_device.h"

namespace dorm {

/// The same interface on the threads of this process: what the kernels of a device are checked against, and what keeps
/// their host's logic tested where there is no device.
std::unique_ptr<KernelDevice> make_host_kernel(KernelNumbers numbers, const DeviceLimits& limits);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/device/list_device.h"

namespace dorm {

/// The same interface on the threads of this process: what the kernels of a device are checked against, and what keeps
/// their host's logic tested where there is no device. Holds all rows.
std::unique_ptr<ListDevice> make_host_lists(DeviceLists lists, const FillRows& fill, const DeviceLimits& limits,
                                            std::string& trouble);

}  // namespace dorm

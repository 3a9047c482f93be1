// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/row_device.h"

namespace dorm {

/// The same interface on the threads of this process: what the kernels of a device are checked against, and what keeps
/// their host's logic tested where there is no device. Holds all rows, scaled by whoever fills them.
std::unique_ptr<RowDevice> make_host_rows(DeviceDocuments documents, RowSource source, std::string& trouble);

}  // namespace dorm

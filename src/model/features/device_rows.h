// SPDX-License-Identifier: Apache-2.0
// Linear features on a device.
#pragma once

#include <future>
#include <memory>

#include "data/scale/survey.h"
#include "device/row_device.h"
#include "dorm/base/compute.h"
#include "model/features/linear_features.h"

namespace dorm {

/// All queries of the features, as the device of `place` holds or asks for them: it borrows the features. To `survey`,
/// if any, all queries are added while their rows are visited. Throws Error(unsupported) for compressed rows, and as
/// make_row_device() does.
std::unique_ptr<RowDevice> rows_on_device(const LinearFeatures& features, const ComputeOptions& place,
                                          Survey* survey = nullptr);

/// The same while the caller does something else: rows on their way. A call that needs them waits, and throws what was
/// thrown meanwhile. `features` and `survey` must outlive it.
std::shared_future<std::unique_ptr<RowDevice>> send_rows(const LinearFeatures& features, const ComputeOptions& place,
                                                         Survey* survey);

}  // namespace dorm

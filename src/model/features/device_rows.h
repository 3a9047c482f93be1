// SPDX-License-Identifier: Apache-2.0
// Linear features as a device gets them: dense rows, filled by threads.
#pragma once

#include <vector>

#include "base/device/list_device.h"
#include "model/features/linear_features.h"

namespace dorm {

/// Throws Error(unsupported) where rows are compressed.
void require_dense(const LinearFeatures& features);

/// Fills the rows of lists, of which list k is query queries[k]. Borrows the features. What goes wrong is said by the
/// data itself, since a device cannot pass it on: require_intact().
FillRows rows_for_device(const LinearFeatures& features, std::vector<std::size_t> queries, std::size_t threads);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Scaling of compressed data, which stays compressed.
#pragma once

#include <cstddef>

#include "dorm/data/scale.h"
#include "dorm/dataset.h"

namespace dorm {

/// Sets shift and factor of a kind that is fitted to all the data.
void fit_compressed(const Dataset& data, Scaling& scaling);

/// Throws Error(unsupported) where that has been done.
void require_unscaled(const Dataset& data);

Dataset scale_compressed(const Scaling& scaling, const Dataset& data, std::size_t threads);

}  // namespace dorm

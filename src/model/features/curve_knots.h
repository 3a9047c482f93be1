// SPDX-License-Identifier: Apache-2.0
// Where curves have their knots.
#pragma once

#include <functional>
#include <span>

#include "dorm/data/scale.h"
#include "dorm/dataset.h"

namespace dorm {

/// The scaled rows of each query, one behind the other; queries in any order, some at a time. Throws
/// Error(unsupported) for compressed features.
void visit_scaled(const Dataset& data, const Scaling& scaling, std::size_t threads,
                  const std::function<void(std::size_t query, std::span<const float> rows)>& visit);

}  // namespace dorm

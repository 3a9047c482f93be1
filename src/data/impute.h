// SPDX-License-Identifier: Apache-2.0
// Missing values, marked by NaN, become the mean of the other values of their column; 0 if there are none.
#pragma once

#include <cstdint>
#include <span>

namespace dorm {

void impute_dense(std::span<float> values, std::uint64_t num_features, std::uint64_t stride);

/// Values that are not stored are zeros, and count.
void impute_compressed(std::span<float> values, std::span<const std::uint32_t> columns, std::uint64_t num_rows);

}  // namespace dorm

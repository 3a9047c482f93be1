// SPDX-License-Identifier: Apache-2.0
// Missing values, marked by NaN, and the means of columns that take their place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dorm {

/// The mean of the values of each column that are there; 0 if there are none.
std::vector<float> dense_means(std::span<const float> values, std::uint64_t num_features, std::uint64_t stride);
/// The same of the CSR form, in which values that are not stored are zeros, and count.
std::vector<float> compressed_means(std::span<const float> values, std::span<const std::uint32_t> columns,
                                    std::uint64_t num_features, std::uint64_t num_rows);

void impute_dense(std::span<float> values, std::uint64_t stride, std::span<const float> means);
void impute_compressed(std::span<float> values, std::span<const std::uint32_t> columns, std::span<const float> means);

}  // namespace dorm

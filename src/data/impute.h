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

/// The smallest value of each column that is there; 0 if there are none. Of the CSR form zeros that are not stored
/// count.
std::vector<float> dense_minima(std::span<const float> values, std::uint64_t num_features, std::uint64_t stride);
std::vector<float> compressed_minima(std::span<const float> values, std::span<const std::uint32_t> columns,
                                     std::uint64_t num_features, std::uint64_t num_rows);

/// Missing values of the chosen columns become the smallest value there of their query, where it has one.
/// `query_end`: the rows of queries, one after another; of the CSR form also the values of rows.
void impute_query_minima(std::span<float> values, std::uint64_t stride, std::span<const std::uint64_t> query_end,
                         std::span<const std::uint32_t> chosen);
void impute_query_minima(std::span<float> values, std::span<const std::uint32_t> columns,
                         std::span<const std::uint64_t> row_end, std::span<const std::uint64_t> query_end,
                         const std::vector<bool>& chosen);

/// A mean of NaN leaves its column as it is.
void impute_dense(std::span<float> values, std::uint64_t stride, std::span<const float> means);
void impute_compressed(std::span<float> values, std::span<const std::uint32_t> columns, std::span<const float> means);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The order of documents that ties refer to is that of the rows they came from, wherever the documents stand now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dorm/dataset.h"

namespace dorm {

/// The documents of query q in the order of their rows; empty where they stand in it.
std::vector<std::uint32_t> source_order(const Dataset& data, std::size_t q);

/// By document of query q, labels that sort as `labels` do, and equal ones by row; empty where the documents stand in
/// the order of their rows.
std::vector<float> labels_by_row(const Dataset& data, std::size_t q, std::span<const float> labels);

}  // namespace dorm

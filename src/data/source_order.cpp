// SPDX-License-Identifier: Apache-2.0
#include "data/source_order.h"

#include <algorithm>
#include <numeric>

#include "data/storage.h"

namespace dorm {
namespace {

std::vector<std::uint64_t> rows_of(const Dataset& data, std::size_t q) {
  std::vector<std::uint64_t> rows;
  for (std::size_t d = data.first_document(q); d < data.first_document(q + 1); ++d) rows.push_back(data.source_row(d));
  return rows;
}

}  // namespace

std::vector<std::uint32_t> source_order(const Dataset& data, std::size_t q) {
  if (data.storage().source_rows.empty()) return {};
  const std::vector<std::uint64_t> rows = rows_of(data, q);
  if (std::is_sorted(rows.begin(), rows.end())) return {};
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) { return rows[i] < rows[j]; });
  return order;
}

std::vector<float> labels_by_row(const Dataset& data, std::size_t q, std::span<const float> labels) {
  std::vector<std::uint32_t> order = source_order(data, q);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return labels[i] > labels[j]; });
  std::vector<float> strict(order.size());
  for (std::size_t j = 0; j < order.size(); ++j) strict[order[j]] = static_cast<float>(order.size() - j);
  return strict;
}

}  // namespace dorm

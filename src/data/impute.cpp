// SPDX-License-Identifier: Apache-2.0
#include "data/impute.h"

#include <cmath>
#include <unordered_map>
#include <vector>

namespace dorm {
namespace {

struct Column {
  double sum = 0;
  std::uint64_t count = 0;  // values that are there

  void add(float value) {
    sum += static_cast<double>(value);
    ++count;
  }
  float mean() const { return count == 0 ? 0.0f : static_cast<float>(sum / static_cast<double>(count)); }
};

}  // namespace

void impute_dense(std::span<float> values, std::uint64_t num_features, std::uint64_t stride) {
  std::vector<Column> columns(num_features);
  for (std::size_t row = 0; row < values.size(); row += stride)
    for (std::uint64_t j = 0; j < num_features; ++j)
      if (!std::isnan(values[row + j])) columns[j].add(values[row + j]);
  for (std::size_t row = 0; row < values.size(); row += stride)
    for (std::uint64_t j = 0; j < num_features; ++j)
      if (std::isnan(values[row + j])) values[row + j] = columns[j].mean();
}

void impute_compressed(std::span<float> values, std::span<const std::uint32_t> columns, std::uint64_t num_rows) {
  std::unordered_map<std::uint32_t, Column> incomplete;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (std::isnan(values[k])) --incomplete.try_emplace(columns[k], Column{0, num_rows}).first->second.count;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto column = incomplete.find(columns[k]);
    if (column != incomplete.end() && !std::isnan(values[k])) column->second.sum += static_cast<double>(values[k]);
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (std::isnan(values[k])) values[k] = incomplete.at(columns[k]).mean();
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "data/impute.h"

#include <cmath>

namespace dorm {
namespace {

struct Column {
  double sum = 0;
  std::uint64_t count = 0;  // values that are there

  float mean() const { return count == 0 ? 0.0f : static_cast<float>(sum / static_cast<double>(count)); }
};

std::vector<float> means_of(const std::vector<Column>& columns) {
  std::vector<float> means;
  means.reserve(columns.size());
  for (const Column& column : columns) means.push_back(column.mean());
  return means;
}

}  // namespace

std::vector<float> dense_means(std::span<const float> values, std::uint64_t num_features, std::uint64_t stride) {
  std::vector<Column> columns(num_features);
  for (std::size_t row = 0; row < values.size(); row += stride)
    for (std::uint64_t j = 0; j < num_features; ++j) {
      if (std::isnan(values[row + j])) continue;
      columns[j].sum += static_cast<double>(values[row + j]);
      ++columns[j].count;
    }
  return means_of(columns);
}

std::vector<float> compressed_means(std::span<const float> values, std::span<const std::uint32_t> columns,
                                    std::uint64_t num_features, std::uint64_t num_rows) {
  std::vector<Column> sums(num_features, Column{0, num_rows});
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(values[k]))
      --sums[columns[k]].count;
    else
      sums[columns[k]].sum += static_cast<double>(values[k]);
  }
  return means_of(sums);
}

void impute_dense(std::span<float> values, std::uint64_t stride, std::span<const float> means) {
  for (std::size_t row = 0; row < values.size(); row += stride)
    for (std::size_t j = 0; j < means.size(); ++j)
      if (std::isnan(values[row + j])) values[row + j] = means[j];
}

void impute_compressed(std::span<float> values, std::span<const std::uint32_t> columns, std::span<const float> means) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (std::isnan(values[k])) values[k] = means[columns[k]];
}

}  // namespace dorm

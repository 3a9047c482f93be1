// SPDX-License-Identifier: Apache-2.0
#include "data/impute.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace dorm {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::infinity();

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

std::vector<float> dense_minima(std::span<const float> values, std::uint64_t num_features, std::uint64_t stride) {
  std::vector<float> minima(num_features, kNoValue);
  for (std::size_t row = 0; row < values.size(); row += stride)
    for (std::uint64_t j = 0; j < num_features; ++j)
      if (values[row + j] < minima[j]) minima[j] = values[row + j];
  std::replace(minima.begin(), minima.end(), kNoValue, 0.0f);
  return minima;
}

std::vector<float> compressed_minima(std::span<const float> values, std::span<const std::uint32_t> columns,
                                     std::uint64_t num_features, std::uint64_t num_rows) {
  std::vector<float> minima(num_features, kNoValue);
  std::vector<std::uint64_t> stored(num_features);
  for (std::size_t k = 0; k < values.size(); ++k) {
    ++stored[columns[k]];
    minima[columns[k]] = values[k] < minima[columns[k]] ? values[k] : minima[columns[k]];
  }
  for (std::size_t j = 0; j < minima.size(); ++j)
    if (stored[j] < num_rows) minima[j] = std::min(minima[j], 0.0f);
  std::replace(minima.begin(), minima.end(), kNoValue, 0.0f);
  return minima;
}

void impute_query_minima(std::span<float> values, std::uint64_t stride, std::span<const std::uint64_t> query_end,
                         std::span<const std::uint32_t> chosen) {
  std::uint64_t begin = 0;
  for (const std::uint64_t end : query_end) {
    for (const std::uint32_t j : chosen) {
      float smallest = kNoValue;
      for (std::uint64_t row = begin; row < end; ++row) smallest = std::fmin(smallest, values[row * stride + j]);
      if (smallest == kNoValue) continue;
      for (std::uint64_t row = begin; row < end; ++row)
        if (std::isnan(values[row * stride + j])) values[row * stride + j] = smallest;
    }
    begin = end;
  }
}

void impute_query_minima(std::span<float> values, std::span<const std::uint32_t> columns,
                         std::span<const std::uint64_t> row_end, std::span<const std::uint64_t> query_end,
                         const std::vector<bool>& chosen) {
  struct Seen {
    float smallest = kNoValue;
    std::uint64_t stored = 0;
  };
  std::uint64_t first_row = 0, begin = 0;
  for (const std::uint64_t last_row : query_end) {
    const std::uint64_t end = last_row == 0 ? 0 : row_end[last_row - 1];
    std::unordered_map<std::uint32_t, Seen> seen;
    for (std::uint64_t k = begin; k < end; ++k) {
      if (!chosen[columns[k]]) continue;
      Seen& column = seen[columns[k]];
      ++column.stored;
      column.smallest = std::fmin(column.smallest, values[k]);
    }
    for (std::uint64_t k = begin; k < end; ++k) {
      if (!chosen[columns[k]] || !std::isnan(values[k])) continue;
      const Seen& column = seen[columns[k]];
      const float smallest = column.stored < last_row - first_row ? std::min(column.smallest, 0.0f) : column.smallest;
      if (smallest != kNoValue) values[k] = smallest;
    }
    first_row = last_row;
    begin = end;
  }
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

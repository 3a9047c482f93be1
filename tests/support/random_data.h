// SPDX-License-Identifier: Apache-2.0
// Small random data sets for the tests of learning.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"
#include "dorm/dataset.h"

namespace dorm::test {

struct RandomData {
  std::vector<std::size_t> lengths = {5, 4, 6};
  std::size_t features = 4;
  std::size_t grades = 4;
  double density = 1;  // share of values that are not 0
  double signal = 1;   // how much the first feature says about the label
  std::uint64_t seed = 1;
  bool sparse = false;  // a far column of ones, which ranks nothing, makes the data too wide to be stored dense
  double factor = 1;    // of all features
};

inline std::vector<float> random_row(const RandomData& options, double label, Rng& rng) {
  std::vector<float> row(options.features);
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double value = rng.normal() + (j == 0 ? options.signal * label : 0.0);
    row[j] =
        rng.uniform() < options.density ? static_cast<float>(options.factor * std::round(value * 1024) / 1024) : 0.0f;
  }
  return row;
}

/// Labels 0..grades-1, features a little informative. The same numbers whether stored dense or compressed.
inline Dataset random_data(const RandomData& options) {
  Rng rng(options.seed);
  DatasetBuilder builder;
  for (std::size_t q = 0; q < options.lengths.size(); ++q) {
    const std::string id = std::to_string(q);
    for (std::size_t i = 0; i < options.lengths[q]; ++i) {
      const double u = rng.uniform();
      const double label = std::floor(static_cast<double>(options.grades) * u * u);
      const std::vector<float> row = random_row(options, label, rng);
      const DatasetBuilder::Document document{static_cast<float>(label), id};
      if (!options.sparse) {
        builder.add(document, row);
        continue;
      }
      std::vector<std::uint32_t> columns;
      std::vector<float> values;
      for (std::uint32_t j = 0; j < row.size(); ++j)
        if (row[j] != 0) columns.push_back(j), values.push_back(row[j]);
      columns.push_back(static_cast<std::uint32_t>(8 * row.size() + 8));
      values.push_back(1);
      builder.add(document, SparseRow{columns, values});
    }
  }
  return builder.finish();
}

}  // namespace dorm::test

// SPDX-License-Identifier: Apache-2.0
// Minimum, maximum, mean and sum of squared deviations of each column, in double by Welford's update, one document at a
// time. Of compressed rows the values stored are counted first, then the zeros are taken in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/vector/vector_ops.h"
#include "dorm/dataset.h"

namespace dorm {

class ColumnStatistics;

/// Of the documents of the queries [first, end), dense, or compressed and not scaled.
ColumnStatistics column_statistics(const Dataset& data, std::size_t first, std::size_t end, bool logarithm);

/// Of the values stored in one column.
struct StoredColumn {
  double low = 0, high = 0, mean = 0, squares = 0;
  std::size_t count = 0;

  void add(double x);
  /// Takes in the zeros of the other documents.
  void complete(std::size_t documents);
};

class ColumnStatistics {
 public:
  /// Of the numbers themselves, or of sign(x) log(1 + |x|); without `spread` the squares stay 0, for less
  /// than half the time.
  ColumnStatistics(std::size_t columns, bool logarithm, bool spread = true);
  /// Of compressed columns whose zeros have been taken in.
  ColumnStatistics(std::span<const StoredColumn> columns, std::size_t documents, bool logarithm);

  void add(const DenseRows& rows);
  void add(const ColumnStatistics& others);

  /// All of it as numbers, and such numbers of others of the same columns added.
  std::vector<double> numbers() const;
  /// Throws Error(bad_input) for another number of them.
  void add(std::span<const double> numbers);

  /// x becomes (x - shift) factor: from 0 to 1, or of mean 0 and variance 1.
  void scale(bool range, std::vector<double>& shift, std::vector<double>& factor) const;

  FeatureStatistics summary() const;

 private:
  std::size_t columns_;
  bool logarithm_, spread_;
  std::size_t count_ = 0;
  std::vector<double> low_, high_, mean_, squares_;
};

}  // namespace dorm

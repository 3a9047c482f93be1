// SPDX-License-Identifier: Apache-2.0
// Minimum, maximum, mean and sum of squared deviations of each column of dense rows, in double by Welford's update, one
// document at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/vector_ops.h"

namespace dorm {

class ColumnStatistics {
 public:
  /// Of the numbers themselves, or of sign(x) log(1 + |x|).
  ColumnStatistics(std::size_t columns, bool logarithm);

  void add(const DenseRows& rows);
  void add(const ColumnStatistics& others);

  /// All of it as numbers, and such numbers of others of the same columns added.
  std::vector<double> numbers() const;
  /// Throws Error(bad_input) for another number of them.
  void add(std::span<const double> numbers);

  /// x becomes (x - shift) factor: from 0 to 1, or of mean 0 and variance 1.
  void scale(bool range, std::vector<double>& shift, std::vector<double>& factor) const;

 private:
  std::size_t columns_;
  bool logarithm_;
  std::size_t count_ = 0;
  std::vector<double> low_, high_, mean_, squares_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Dense rows put where a Dataset will have them while later rows are still being read: read once, copied once. The
// number of features and of rows is guessed from the first rows; where the guess, or the order of the rows, turns out
// wrong, blocks are made of them again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/page_buffer.h"
#include "data/row_block.h"

namespace dorm {

class PlacedRows {
 public:
  /// Takes no rows.
  PlacedRows() = default;
  /// Room for `capacity` rows with the features of `sample`; none when those are too sparse to be kept dense, or there
  /// is no memory to reserve.
  PlacedRows(const RowBlock& sample, std::uint64_t capacity);

  /// The rows so far, and whether those of `block` can follow.
  std::uint64_t num_rows() const { return num_rows_; }
  bool fits(const RowBlock& block) const;

  /// Room for the rows of `block`, which fit: the first of them.
  std::uint64_t reserve(const RowBlock& block);

  /// Writes the rows to where they were reserved. `rows`: a RowBlock or a RowBlockWriter. Several threads may do so.
  template <class Rows>
  void place(const Rows& rows, std::uint64_t first_row) {
    rows.each_row([&](std::size_t row, const BlockRow& features) {
      float* const out = values_.data() + (first_row + row) * stride_;
      if (features.ids.empty() && !features.values.empty())
        std::copy(features.values.begin(), features.values.end(), out + (features.first - first_id_));
      for (std::size_t k = 0; k < features.ids.size(); ++k) out[features.ids[k] - first_id_] = features.values[k];
    });
  }

  /// Whether they are what a Dataset of this shape stores.
  bool are(std::uint64_t rows, std::uint32_t first_id, std::uint64_t features) const {
    return rows == num_rows_ && first_id == first_id_ && features == features_;
  }

  /// Gives the features back to a block whose rows were placed from `first_row` on, and frees the memory they took.
  /// Several threads may do so.
  void restore(RowBlock& block, std::uint64_t first_row);

  /// All rows, dense_stride() apart; more room may follow them.
  PageBuffer<float> take() { return std::move(values_); }

 private:
  PageBuffer<float> values_;
  std::uint32_t first_id_ = 1;
  std::uint64_t features_ = 0, stride_ = 0;
  std::uint64_t num_rows_ = 0, capacity_ = 0;
};

}  // namespace dorm

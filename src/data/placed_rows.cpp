// SPDX-License-Identifier: Apache-2.0
#include "data/placed_rows.h"

#include <new>

#include "data/storage.h"

namespace dorm {
namespace {

constexpr double kSurelyDense = 0.5;  // well above the share from which on features are stored dense

}  // namespace

PlacedRows::PlacedRows(const RowBlock& sample, std::uint64_t capacity)
    : first_id_(sample.id_zero ? 0 : 1), features_(std::uint64_t{sample.max_id} + 1 - first_id_) {
  const double cells = static_cast<double>(sample.num_rows()) * static_cast<double>(features_);
  if (!sample.any_id || static_cast<double>(sample.nonzeros) < kSurelyDense * cells) return;
  stride_ = dense_stride(features_);
  if (capacity > PTRDIFF_MAX / sizeof(float) / stride_) return;
  try {
    values_ = PageBuffer<float>(capacity * stride_);
    capacity_ = capacity;
  } catch (const std::bad_alloc&) {  // a limit on memory; blocks are freed while they are assembled, and need less
  }
}

bool PlacedRows::fits(const RowBlock& block) const {
  if (block.num_rows() > capacity_ - num_rows_) return false;
  return !block.any_id || (block.max_id < first_id_ + features_ && (first_id_ == 0 || !block.id_zero));
}

std::uint64_t PlacedRows::reserve(const RowBlock& block) {
  num_rows_ += block.num_rows();
  return num_rows_ - block.num_rows();
}

void PlacedRows::restore(RowBlock& block, std::uint64_t first_row) {
  const std::size_t rows = block.num_rows();
  block.first.assign(rows, first_id_);
  block.count.assign(rows, static_cast<std::uint32_t>(features_));
  block.values = PageBuffer<float>(rows * features_);
  float* const begin = values_.data() + first_row * stride_;
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(begin + row * stride_, features_, block.values.data() + row * features_);
  values_.discard(first_row * stride_, (first_row + rows) * stride_);
}

}  // namespace dorm

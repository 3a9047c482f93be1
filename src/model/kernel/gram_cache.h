// SPDX-License-Identifier: Apache-2.0
// Products with a kernel matrix whose rows are kept as far as a byte budget allows, and computed again where it does
// not. Threads share the columns of a row among themselves.
//
// Sums are taken row by row in the order asked for, so that results do not depend on the budget, on what is cached, or
// on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/page_buffer.h"
#include "base/parallel.h"
#include "dorm/learning/kernel.h"

namespace dorm {

class GramCache {
 public:
  /// Row i belongs to document i of `left`. `bytes` covers the kept rows and the scratch rows; at least a few scratch
  /// rows are always kept. Borrows `left`.
  GramCache(std::unique_ptr<const KernelColumns> columns, const Documents& left, std::uint64_t bytes,
            std::size_t threads);

  std::size_t rows() const { return left_.size(); }
  std::size_t columns() const { return columns_->size(); }
  const KernelColumns& kernel_columns() const { return *columns_; }

  /// out += sum_k coefficients[k] * row(rows[k]). Several threads may call it; the calls run one after the other.
  void accumulate(std::span<const std::uint32_t> rows, std::span<const double> coefficients,
                  std::span<double> out) const;

  /// body(i, row i) for every row, in their order.
  void each_row(const std::function<void(std::size_t i, const float* row)>& body) const;

  /// out[i] = <row i, v> for every row.
  void multiply(std::span<const double> v, std::span<double> out) const;

  /// Called before every few rows; what it throws ends the product. To be set while no product is computed.
  void poll_by(std::function<void()> poll) const { poll_ = std::move(poll); }
  /// Gives the kept rows back to the system, and keeps none from now on.
  void drop() const;

  std::uint64_t bytes() const;  // held now
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

  static constexpr std::size_t kScratchRows = 64;  // most rows that are computed at a time

 private:
  struct Chunk {
    std::vector<std::uint32_t> missing;  // rows to compute
    std::vector<float*> target;          // where each of them goes
    std::vector<const float*> row;       // every row asked for, once computed
  };

  void fetch(std::span<const std::uint32_t> rows, Chunk& chunk) const;
  void make_whole(Chunk& chunk) const;
  float* slot_for(std::uint32_t row) const;
  std::size_t width() const { return (columns() + 15) / 16 * 16; }
  std::size_t pieces(std::size_t work) const;
  void compute(const Chunk& chunk, std::size_t first, std::size_t last) const;

  const std::unique_ptr<const KernelColumns> columns_;
  const Documents& left_;
  mutable std::size_t capacity_;  // rows kept
  mutable std::function<void()> poll_;
  mutable std::mutex mutex_;
  mutable ThreadPool pool_;
  mutable PageBuffer<float> kept_, scratch_;
  mutable std::vector<std::uint32_t> slot_of_;   // by row; kNone: not kept
  mutable std::vector<std::uint32_t> row_in_;    // by slot
  mutable std::vector<std::uint64_t> last_use_;  // by slot
  mutable std::size_t hand_ = 0;                 // where to look for a row to give up
  mutable std::uint64_t clock_ = 0, hits_ = 0, misses_ = 0;
};

}  // namespace dorm

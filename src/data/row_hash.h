// SPDX-License-Identifier: Apache-2.0
// Hashes of feature rows: the sum over the columns of (x + a) (x ^ b) in 64 bits, x being the bits of the value, a
// and b random words of the column. Zeros contribute nothing, so dense and compressed rows agree, and the terms of a
// sum go side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "base/vector/cpu.h"
#include "dorm/dataset.h"

namespace dorm {

class RowHash {
 public:
  explicit RowHash(const Dataset& data);

  std::uint64_t of(const FeatureRows& rows, std::size_t i, SimdLevel level = simd_level()) const;

  /// a and b by column, of dense data.
  const std::vector<std::uint64_t>& added() const { return added_; }
  const std::vector<std::uint64_t>& crossed() const { return crossed_; }

 private:
  const Dataset& data_;
  std::vector<std::uint64_t> added_, crossed_;
};

}  // namespace dorm

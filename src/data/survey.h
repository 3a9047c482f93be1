// SPDX-License-Identifier: Apache-2.0
// What a model says of the data it was trained on, found while somebody visits all rows anyway: their fingerprint, and
// the statistics of the features. The same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/column_statistics.h"
#include "data/fingerprint.h"
#include "dorm/dataset.h"

namespace dorm {

class Survey {
 public:
  /// Queries are taken in so many consecutive parts (piece_begin() of base/ordered_sum.h).
  static constexpr std::size_t kPieces = 16;

  explicit Survey(const Dataset& data);

  /// Of dense data: every query once, those of a piece in order and by one thread at a time.
  void add(std::size_t query, std::size_t piece);
  /// All queries of any data.
  void add_all(std::size_t threads);

  /// Once all have been added.
  std::uint64_t fingerprint() const { return fingerprint_.value(); }
  FeatureStatistics statistics() const;

 private:
  void add_compressed(std::size_t threads);

  Dataset data_;
  Fingerprint fingerprint_;
  std::vector<ColumnStatistics> pieces_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// What a model says of the data it was trained on, found while somebody visits all rows anyway: their fingerprint, and
// the statistics of the features. The same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/fingerprint.h"
#include "data/scale/column_statistics.h"
#include "dorm/dataset.h"

namespace dorm {

class Survey {
 public:
  /// Queries are taken in so many consecutive parts (piece_begin() of base/vector/ordered_sum.h).
  static constexpr std::size_t kPieces = 16;

  explicit Survey(const Dataset& data);

  /// Of dense data: every query once, those of a piece in order and by one thread at a time.
  void add(std::size_t query, std::size_t piece);
  /// All queries of any data.
  void add_all(std::size_t threads);

  /// Of dense data in the same parts, for those who have found it out elsewhere: every query and every piece once. Of
  /// consecutive queries, by any thread, the hashes of their rows by `row_hash()`.
  const RowHash& row_hash() const { return fingerprint_.rows(); }
  void add_hashes(std::size_t first, std::size_t last, const std::uint64_t* hashes);
  void add_statistics(std::size_t piece, std::span<const double> low, std::span<const double> high,
                      std::span<const double> mean);

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

// SPDX-License-Identifier: Apache-2.0
// Scaled features column by column, in 64 bits: what scores change by when a weight moves. Of dense data; some columns
// are kept, the others made when somebody asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dorm/model.h"

namespace dorm::explore {

struct ScaledColumn {
  std::vector<double> values;  // by document
  double largest = 0;          // of their absolute values
};

class ScaledColumns {
 public:
  /// `kept_bytes`: what columns may take together.
  ScaledColumns(const Model& model, Dataset data, std::uint64_t kept_bytes, std::size_t threads);

  /// How many columns can be kept at a time.
  std::size_t room() const { return room_; }

  /// Makes those of these features that are not kept yet, the first `room()` of them.
  void prepare(std::span<const std::size_t> features);

  /// The column of a model's feature; null where the data have none, so that it is the same for all documents.
  std::shared_ptr<const ScaledColumn> column(std::size_t feature);

 private:
  struct Kept {
    std::size_t feature;
    std::uint64_t used;  // when it was asked for last
    std::shared_ptr<const ScaledColumn> column;
  };
  std::vector<std::shared_ptr<ScaledColumn>> made(std::span<const std::size_t> columns) const;

  Dataset data_;
  Scaling scaling_;                     // in the columns of the data
  std::vector<std::size_t> column_of_;  // by feature of the model
  std::size_t room_, threads_;
  std::mutex mutex_;
  std::uint64_t clock_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace dorm::explore

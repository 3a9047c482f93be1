// SPDX-License-Identifier: Apache-2.0
// The dense rows of a data set under a scaling, without a copy of all of them: rows are scaled where a query is
// visited, into a buffer that stays in the cache of the processor. Some memory is spent on doing it again for less: on
// what scaling finds out about each query, and on the rows of the first queries. Kept or not, the bits are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/page_buffer.h"
#include "base/vector/vector_ops.h"
#include "dorm/data/scale.h"
#include "dorm/dataset.h"

namespace dorm {

/// Of the features, as dense rows.
std::uint64_t dense_bytes(const Dataset& data);

/// The default of what is kept, of features of `bytes` bytes: all of a small set, little
/// of a large one.
std::uint64_t default_kept_bytes(std::uint64_t feature_bytes);

class ScaledRows {
  static constexpr std::size_t kNoQuery = std::numeric_limits<std::size_t>::max();

  /// Scaled rows of one query.
  struct Buffer {
    std::size_t query = kNoQuery;
    std::vector<float> values;
  };

 public:
  /// Called once for each query, in kPieces consecutive parts, each by one thread.
  using Visit = std::function<void(std::size_t query, const DenseRows& rows, std::size_t piece)>;
  static constexpr std::size_t kPieces = 16;

  /// Of dense data, with any scaling but none. Throws Error(bad_input) when it was fitted on other features.
  /// `visit`: sees all rows while they are scaled for the first time. Rows in a mapped file whose scaled ones are
  /// kept are let go.
  ScaledRows(Dataset data, Scaling scaling, std::uint64_t kept_bytes, std::size_t threads, const Visit& visit = {});
  ~ScaledRows();
  ScaledRows(const ScaledRows&) = delete;
  ScaledRows& operator=(const ScaledRows&) = delete;

  /// The rows of one query; they stay while it lives.
  class View {
   public:
    explicit View(const DenseRows& rows) : rows_(rows) {}  // which somebody else keeps
    View(const ScaledRows& owner, std::unique_ptr<Buffer> buffer, const DenseRows& rows);
    ~View();
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    const DenseRows& rows() const { return rows_; }
    /// Nobody will ask for this query again soon.
    void last() { last_ = true; }

   private:
    const ScaledRows* owner_ = nullptr;
    std::unique_ptr<Buffer> buffer_;
    DenseRows rows_;
    bool last_ = false;
  };

  const Scaling& scaling() const { return scaling_; }

  /// The memory that the rows of a query are made from, or kept in.
  DenseRows source(std::size_t q) const;

  /// By any thread. A query that was visited a moment ago, and whose view was not the last, is not scaled again.
  View query(std::size_t q) const;

 private:
  void prepare(std::size_t q, std::size_t next, std::vector<float>& scratch, const Visit& visit, std::size_t piece);
  char* kept_place(std::size_t q);  // of the rows of a query, or the end of those that are kept
  std::unique_ptr<Buffer> take_buffer(std::size_t q) const;
  void give_back(std::unique_ptr<Buffer> buffer, bool last) const;

  Dataset data_;
  Scaling scaling_;
  std::size_t threads_;
  std::size_t stride_;
  std::size_t numbers_per_query_;
  std::size_t known_queries_ = 0;  // the number of first queries with numbers in known_
  std::size_t kept_queries_ = 0;   // and with rows in kept_
  PageBuffer<float> known_, kept_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Buffer>> free_;  // the first is to be taken first
  mutable std::size_t made_ = 0;                       // buffers there are; free_ has room for all
};

}  // namespace dorm

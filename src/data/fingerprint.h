// SPDX-License-Identifier: Apache-2.0
// Dataset::fingerprint() in parts, for those who visit all rows anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/row_hash.h"
#include "dorm/dataset.h"

namespace dorm {

class Fingerprint {
 public:
  explicit Fingerprint(const Dataset& data) : data_(data), rows_(data_), queries_(data.num_queries()) {}
  Fingerprint(const Fingerprint&) = delete;
  Fingerprint& operator=(const Fingerprint&) = delete;

  /// By any thread; every query once.
  void add(std::size_t query);
  /// The same where the hashes of its rows are known.
  void add(std::size_t query, const std::uint64_t* hashes);
  void add_all(std::size_t threads);

  /// Once all have been added.
  std::uint64_t value() const;

  const RowHash& rows() const { return rows_; }

 private:
  template <class HashOf>
  void add_documents(std::size_t query, const HashOf& hash_of);

  Dataset data_;
  RowHash rows_;
  std::vector<std::uint64_t> queries_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash of the content of a Dataset, whatever its representation: a chain of queries, each a chain of
// documents, each with the hash of its row (row_hash.h). Not cryptographic.
#include <bit>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "data/row_hash.h"
#include "data/storage.h"
#include "dorm/dataset.h"

namespace dorm {
namespace {

class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) {
    add(text.size());
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      word = word << 8 | static_cast<unsigned char>(text[i]);
      if (i % 8 == 7) add(std::exchange(word, 0));
    }
    if (text.size() % 8 != 0) add(word);
  }
  std::uint64_t value() const { return state_ ^ state_ >> 29; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3u;
};

}  // namespace

std::uint64_t Dataset::fingerprint(std::size_t threads) const {
  const RowHash rows(*this);
  std::vector<std::uint64_t> queries(num_queries());
  parallel_for(num_queries(), threads, [&](std::size_t q, std::size_t) {
    Hash hash;
    const Query query = this->query(q);
    hash.add(query.id);
    hash.add(std::bit_cast<std::uint64_t>(query.weight));
    hash.add(query.size());
    for (std::size_t i = 0; i < query.size(); ++i) {
      hash.add(std::bit_cast<std::uint32_t>(query.labels[i] + 0.0f));
      if (has_document_ids()) hash.add(document_id(query.first_document + i));
      if (has_groups()) hash.add(group(query.first_document + i));
      hash.add(rows.of(query.rows, i));
    }
    queries[q] = hash.value();
  });
  require_intact();
  Hash hash;
  hash.add(num_queries());
  hash.add(feature_range());
  hash.add(first_feature_id());
  for (std::size_t j = 0; has_feature_names() && j < num_features(); ++j) hash.add(storage_->feature_names[j]);
  for (const std::uint64_t word : queries) hash.add(word);
  return hash.value();
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash of the content of a Dataset, whatever its representation: a chain of queries, each a chain of
// documents, each with the hash of its row (row_hash.h). Not cryptographic.
#include "data/fingerprint.h"

#include <bit>
#include <string_view>
#include <utility>

#include "base/parallel.h"

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

template <class HashOf>
void Fingerprint::add_documents(std::size_t q, const HashOf& hash_of) {
  Hash hash;
  const Query query = data_.query(q);
  hash.add(query.id);
  hash.add(std::bit_cast<std::uint64_t>(query.weight));
  hash.add(query.size());
  for (std::size_t i = 0; i < query.size(); ++i) {
    hash.add(std::bit_cast<std::uint32_t>(query.labels[i] + 0.0f));
    if (data_.has_document_ids()) hash.add(data_.document_id(query.first_document + i));
    if (data_.has_groups()) hash.add(data_.group(query.first_document + i));
    hash.add(hash_of(query, i));
  }
  queries_[q] = hash.value();
}

void Fingerprint::add(std::size_t q) {
  add_documents(q, [&](const Query& query, std::size_t i) { return rows_.of(query.rows, i); });
}

void Fingerprint::add(std::size_t q, const std::uint64_t* hashes) {
  add_documents(q, [&](const Query&, std::size_t i) { return hashes[i]; });
}

void Fingerprint::add_all(std::size_t threads) {
  parallel_for(queries_.size(), threads, [&](std::size_t q, std::size_t) { add(q); });
}

std::uint64_t Fingerprint::value() const {
  data_.require_intact();
  Hash hash;
  hash.add(data_.num_queries());
  hash.add(data_.feature_range());
  hash.add(data_.first_feature_id());
  for (std::size_t j = 0; data_.has_feature_names() && j < data_.num_features(); ++j) hash.add(data_.feature_name(j));
  for (const std::uint64_t word : queries_) hash.add(word);
  return hash.value();
}

std::uint64_t Dataset::fingerprint(std::size_t threads) const {
  Fingerprint parts(*this);
  parts.add_all(threads);
  return parts.value();
}

}  // namespace dorm

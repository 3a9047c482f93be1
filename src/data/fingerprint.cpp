// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash of the content of a Dataset, whatever its representation: zeros are left out, so dense and compressed
// features agree. Not cryptographic.
#include <bit>
#include <utility>
#include <vector>

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
  void add(std::uint64_t column, float value) {
    if (value != 0) add(column << 32 | std::bit_cast<std::uint32_t>(value));
  }
  std::uint64_t value() const { return state_ ^ state_ >> 29; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3u;
};

void add_row(Hash& hash, const Dataset& data, const FeatureRows& rows, std::size_t i, std::vector<float>& whole) {
  if (rows.dense() || !rows.background().columns.empty()) {
    whole.resize(rows.num_features());
    rows.load(i, whole);
    for (std::size_t j = 0; j < whole.size(); ++j) hash.add(data.feature_number(j), whole[j]);
  } else {
    const SparseRow row = rows.sparse_row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) hash.add(data.feature_number(row.columns[k]), row.values[k]);
  }
}

}  // namespace

std::uint64_t Dataset::fingerprint() const {
  Hash hash;
  std::vector<float> row;
  hash.add(num_queries());
  hash.add(feature_range());
  hash.add(first_feature_id());
  for (std::size_t j = 0; has_feature_names() && j < num_features(); ++j) hash.add(storage_->feature_names[j]);
  for (std::size_t q = 0; q < num_queries(); ++q) {
    const Query query = this->query(q);
    hash.add(query.id);
    hash.add(std::bit_cast<std::uint64_t>(query.weight));
    hash.add(query.size());
    for (std::size_t i = 0; i < query.size(); ++i) {
      hash.add(std::bit_cast<std::uint32_t>(query.labels[i] + 0.0f));
      if (has_document_ids()) hash.add(document_id(query.first_document + i));
      if (has_groups()) hash.add(group(query.first_document + i));
      add_row(hash, *this, query.rows, i, row);
    }
  }
  require_intact();
  return hash.value();
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dorm/kernel.h"

namespace dorm {

Documents::Documents(Dataset data) : data_(std::move(data)) {
  query_of_.reserve(data_.num_documents());
  for (std::size_t q = 0; q < data_.num_queries(); ++q)
    query_of_.insert(query_of_.end(), data_.query(q).size(), static_cast<std::uint32_t>(q));
}

std::string_view Documents::id(IdKind kind, std::size_t document) const {
  if (kind == IdKind::query) return data_.query(query_of_[document]).id;
  return kind == IdKind::document ? data_.document_id(document) : data_.group(document);
}

void Documents::load(std::size_t document, std::span<float> out) const {
  const Query query = data_.query(query_of_[document]);
  const std::size_t i = document - query.first_document;
  if (query.rows.dense()) {
    std::copy_n(query.rows.dense_row(i), out.size(), out.begin());
    return;
  }
  std::fill(out.begin(), out.end(), 0.0f);
  const SparseRow row = query.rows.sparse_row(i);
  for (std::size_t k = 0; k < row.columns.size(); ++k) out[row.columns[k]] = row.values[k];
}

}  // namespace dorm

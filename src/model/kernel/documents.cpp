// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/kernel.h"

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

bool KernelColumns::compute_rows(const Documents&, std::span<const std::uint32_t>, std::span<float* const>) const {
  return false;
}

void Documents::load(std::size_t document, std::span<float> out) const {
  const Query query = data_.query(query_of_[document]);
  query.rows.load(document - query.first_document, out);
}

}  // namespace dorm

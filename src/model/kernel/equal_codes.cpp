// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/equal_codes.h"

namespace dorm {

EqualCodes::EqualCodes(const Part& part, const Documents& right) : part_(part) {
  std::vector<float> row(part.kind == PartKind::same_name ? 0 : right.num_features());
  for (std::size_t j = 0; j < right.size(); ++j) {
    if (!row.empty()) right.load(j, row);
    const auto fresh = static_cast<std::uint32_t>(codes_.size());
    of_right_.push_back(codes_.try_emplace(key(right, j, row), fresh).first->second);
  }
}

std::uint32_t EqualCodes::find(const Documents& documents, std::size_t document, std::span<const float> row) const {
  const auto found = codes_.find(key(documents, document, row));
  return found == codes_.end() ? kUnknown : found->second;
}

std::string EqualCodes::key(const Documents& documents, std::size_t document, std::span<const float> row) const {
  if (part_.kind == PartKind::same_name) return std::string(documents.id(part_.id, document));
  std::vector<float> taken(part_.columns.size());
  part_.take(row, taken);
  for (float& value : taken) value += 0.0f;  // -0 is 0
  return {reinterpret_cast<const char*>(taken.data()), taken.size() * sizeof(float)};
}

}  // namespace dorm

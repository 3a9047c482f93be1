// SPDX-License-Identifier: Apache-2.0
#include "data/row_block.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dorm {
namespace {

template <class T>
PageBuffer<T> copy_of(const std::vector<T>& items) {
  PageBuffer<T> pages(items.size());
  std::copy(items.begin(), items.end(), pages.data());
  return pages;
}

}  // namespace

void RowBlock::drop_features() {
  first = {};
  count = {};
  values = PageBuffer<float>();
  ids = PageBuffer<std::uint32_t>();
}

void RowBlockWriter::add(float label, const Names& names, std::span<const std::uint32_t> ids,
                         std::span<const float> values) {
  const std::size_t row = block_.num_rows();
  if (!names.query.empty()) {
    if (!block_.queries.empty() && block_.queries[block_.queries.size() - 1] == names.query) {
      ++block_.query_rows.back();
    } else {
      block_.queries.push_back(names.query);
      block_.query_rows.push_back(1);
    }
  }
  set_entry(block_.document_ids, row, names.document);
  set_entry(block_.groups, row, names.group);
  block_.unlabelled |= std::isnan(label);
  block_.labels.push_back(label);
  add_features(ids, values);
}

void RowBlockWriter::add_features(std::span<const std::uint32_t> ids, std::span<const float> values) {
  const std::size_t n = values.size();
  if (n == 0) {
    block_.first.push_back(1);
    block_.count.push_back(0);
    return;
  }
  const std::size_t width = std::size_t{ids[n - 1]} - ids[0] + 1;
  std::uint32_t nonzeros = 0;
  for (float value : values) nonzeros += value != 0;
  if (width == n) {
    values_.insert(values_.end(), values.begin(), values.end());
  } else if (width <= 2 * n) {
    const std::size_t start = values_.size();
    values_.resize(start + width, 0.0f);
    for (std::size_t k = 0; k < n; ++k) values_[start + ids[k] - ids[0]] = values[k];
  } else {
    values_.insert(values_.end(), values.begin(), values.end());
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }
  const bool listed = width > 2 * n;
  block_.first.push_back(listed ? RowBlock::kListed : ids[0]);
  block_.count.push_back(static_cast<std::uint32_t>(listed ? n : width));
  block_.nonzeros += nonzeros;
  block_.max_id = std::max(block_.max_id, ids[n - 1]);
  block_.any_id = true;
  block_.id_zero |= ids[0] == 0;
}

RowBlock RowBlockWriter::take() {
  block_.values = copy_of(values_);
  block_.ids = copy_of(ids_);
  values_.clear();
  ids_.clear();
  return std::exchange(block_, RowBlock());
}

RowBlock RowBlockWriter::take_without_features() {
  values_.clear();
  ids_.clear();
  block_.drop_features();
  return std::exchange(block_, RowBlock());
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A dense data set whose rows stand one right after another, at an odd address: as a caller's array may be.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "data/owned_columns.h"
#include "data/storage.h"
#include "dorm/dataset.h"

namespace dorm::test {

inline Dataset packed_rows(const Dataset& data) {
  struct Block {
    OwnedColumns columns;
    std::vector<float> values;
  };
  auto block = std::make_shared<Block>();
  block->columns = gather_columns(data);
  block->values.resize(1 + data.num_documents() * data.num_features());
  float* out = block->values.data() + 1;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) out = std::copy_n(query.rows.dense_row(i), data.num_features(), out);
  }
  auto storage = std::make_shared<Storage>();
  block->columns.attach(*storage);
  storage->num_features = storage->stride = data.num_features();
  storage->values = std::span(block->values).subspan(1);
  storage->owner = std::move(block);
  return Dataset(std::shared_ptr<const Storage>(std::move(storage)));
}

}  // namespace dorm::test

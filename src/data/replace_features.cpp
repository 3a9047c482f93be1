// SPDX-License-Identifier: Apache-2.0
#include "data/replace_features.h"

#include "base/page_buffer.h"
#include "base/parallel.h"
#include "data/owned_columns.h"

namespace dorm {
namespace {

struct Block {
  OwnedColumns columns;
  PageBuffer<float> values;
};

}  // namespace

Dataset replace_features(const Dataset& data, std::size_t features, const std::vector<std::string>& names,
                         std::size_t threads, const FillRows& fill) {
  const std::uint64_t stride = dense_stride(features);
  auto block = std::make_shared<Block>();
  block->columns = gather_columns(data);
  block->columns.feature_names = {};
  block->columns.feature_numbers = {};
  for (const std::string& name : names) block->columns.feature_names.push_back(name);
  block->values = PageBuffer<float>(data.num_documents() * stride);
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    fill(q, block->values.data() + data.first_document(q) * stride, stride);
  });
  auto storage = std::make_shared<Storage>();
  block->columns.attach(*storage);
  storage->num_features = features;
  storage->stride = stride;
  storage->values = block->values.span();
  storage->owner = std::move(block);
  return Dataset(std::move(storage));
}

}  // namespace dorm

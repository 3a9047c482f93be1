// SPDX-License-Identifier: Apache-2.0
#include "data/replace_features.h"

#include <fmt/format.h>

#include <unordered_set>

#include "base/page_buffer.h"
#include "base/parallel.h"
#include "data/owned_columns.h"
#include "dorm/error.h"

namespace dorm {
namespace {

struct Block {
  OwnedColumns columns;
  PageBuffer<float> values;
};

}  // namespace

Dataset replace_features(const Dataset& data, std::size_t features, const std::vector<std::string>& names,
                         std::size_t threads, const FillQuery& fill) {
  return replace_features(data, features, names, [&](float* rows, std::size_t stride) {
    parallel_for(data.num_queries(), threads,
                 [&](std::size_t q, std::size_t) { fill(q, rows + data.first_document(q) * stride, stride); });
  });
}

Dataset replace_features(const Dataset& data, std::size_t features, const std::vector<std::string>& names,
                         const FillAll& fill) {
  const std::uint64_t stride = dense_stride(features);
  auto block = std::make_shared<Block>();
  block->columns = gather_columns(data);
  block->columns.feature_names = {};
  block->columns.feature_numbers = {};
  for (const std::string& name : names) block->columns.feature_names.push_back(name);
  block->values = PageBuffer<float>(data.num_documents() * stride);
  fill(block->values.data(), stride);
  auto storage = std::make_shared<Storage>();
  block->columns.attach(*storage);
  storage->num_features = features;
  storage->stride = stride;
  storage->values = block->values.span();
  storage->owner = std::move(block);
  return Dataset(std::move(storage));
}

Dataset append_features(const Dataset& data, const std::vector<std::string>& added, std::size_t threads,
                        const FillQuery& fill) {
  const std::size_t before = data.num_features();
  std::vector<std::string> names;
  for (std::size_t column = 0; column < before; ++column) names.push_back(data.feature_name(column));
  std::unordered_set<std::string> known(names.begin(), names.end());
  for (const std::string& name : added) {
    if (!known.insert(name).second)
      throw Error(ErrorCode::bad_input, fmt::format("the column \"{}\" is there already", name));
    names.push_back(name);
  }
  const auto both = [&](std::size_t q, float* rows, std::size_t stride) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) query.rows.load(i, {rows + i * stride, before});
    fill(q, rows + before, stride);
  };
  Dataset out = replace_features(data, names.size(), names, threads, both);
  data.require_intact();
  return out;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/table_rows.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "data/io/files/read_report.h"
#include "data/io/tables/table_encoder.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kTableValuesPerBlock = std::size_t{1} << 19;

}  // namespace

bool TableRows::add(float label, const RowBlockWriter::Names& names, std::span<const std::uint32_t> ids,
                    std::span<const float> values) {
  writer_.add(label, names, ids, values);
  ++num_rows_;
  if (writer_.num_values() < kTableValuesPerBlock && writer_.num_rows() < kTableValuesPerBlock) return false;
  if (sink_ != nullptr)
    sink_->add(writer_.take());
  else
    blocks_.push_back(writer_.take());
  return true;
}

std::optional<std::string> TableRows::set_weight(std::string_view query, double weight) {
  const auto known = weights_.find(query);
  if (known == weights_.end())
    weights_.emplace(query, weight);
  else if (known->second != weight)
    return fmt::format("found the weight {} in the query {}, which had {} before; expected one weight per query",
                       weight, in_quotes(query), known->second);
  return std::nullopt;
}

void TableRows::encode(const TableEncoder& encoder) {
  blocks_.push_back(writer_.take());
  std::vector<std::uint32_t> ids;
  std::vector<float> stand_ins, values;
  for (RowBlock& block : blocks_) {
    RowBlockWriter encoded;
    block.each_row([&](std::size_t, const BlockRow& row) {
      stand_ins.assign(encoder.size(), 0.0f);
      for (std::size_t k = 0; k < row.values.size(); ++k) stand_ins[row.id(k) - 1] = row.values[k];
      encoder.encode(stand_ins, ids, values);
      encoded.add(0, {}, ids, values);
    });
    RowBlock features = encoded.take();
    block.first = std::move(features.first);
    block.count = std::move(features.count);
    block.values = std::move(features.values);
    block.ids = std::move(features.ids);
    block.nonzeros = features.nonzeros;
    block.max_id = features.max_id;
    block.any_id = features.any_id;
    block.id_zero = features.id_zero;
  }
}

Dataset TableRows::finish(const std::string& file, PackedText feature_names, const InputDescription& input,
                          std::size_t threads, ReadReport* report) {
  blocks_.push_back(writer_.take());
  require_rows(file);
  Grouping grouping = group_by_query_id(blocks_);
  warn_merged(report, file, grouping);
  AssembleOptions assembly;
  assembly.threads = threads;
  assembly.input = input;
  if (dense_) assembly.dense = true;
  assembly.num_features = feature_names.size();
  assembly.feature_names = std::move(feature_names);
  for (std::size_t q = 0; !weights_.empty() && q < grouping.num_queries(); ++q) {
    const auto weight = weights_.find(grouping.query_ids[q]);
    assembly.query_weights.push_back(weight == weights_.end() ? 1.0 : weight->second);
  }
  return Dataset(assemble(std::move(blocks_), std::move(grouping), std::move(assembly)));
}

RowsSummary TableRows::hand_on(const std::string& file, PackedText feature_names, const InputDescription& input) {
  require_rows(file);
  sink_->add(writer_.take());
  return {std::move(feature_names), input, std::move(weights_)};
}

void TableRows::require_rows(const std::string& file) const {
  if (num_rows_ == 0) throw Error(ErrorCode::bad_input, {file, 0, 0}, "no documents");
}

}  // namespace dorm

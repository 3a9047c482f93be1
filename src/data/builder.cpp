// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "base/quote.h"
#include "data/assemble.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kValuesPerBlock = std::size_t{1} << 20;

Error bad_input(const std::string& message) { return {ErrorCode::bad_input, message}; }

}  // namespace

// Columns are stored as ids counted from 1, the numbers they get when they have no names.
struct DatasetBuilder::State {
  RowBlockWriter writer;
  std::vector<RowBlock> blocks;
  std::vector<std::uint32_t> ids;
  std::vector<float> values;
  std::uint64_t rows = 0;
  std::optional<std::size_t> dense_width;
  std::vector<std::string> names;
  std::map<std::string, double, std::less<>> weights;

  void add(const Document& document) {
    if (document.query_id.empty()) throw bad_input(fmt::format("document {} has no query id", rows));
    if (!std::isfinite(document.label))
      throw bad_input(fmt::format("document {} has the label {}; expected a finite number", rows, document.label));
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        throw bad_input(fmt::format("document {} has the value {} in column {}; expected a finite number", rows,
                                    values[k], ids[k] - 1));
    writer.add(document.label, {document.query_id, document.document_id, document.group}, ids, values);
    ++rows;
    if (writer.num_values() >= kValuesPerBlock) blocks.push_back(writer.take());
  }

  std::vector<double> query_weights(const Grouping& grouping) const {
    if (weights.empty()) return {};
    std::vector<double> of_query(grouping.num_queries(), 1.0);
    auto unused = weights;
    for (std::size_t q = 0; q < of_query.size(); ++q) {
      const auto weight = unused.find(grouping.query_ids[q]);
      if (weight == unused.end()) continue;
      of_query[q] = weight->second;
      unused.erase(weight);
    }
    if (!unused.empty())
      throw bad_input(
          fmt::format("a weight is set for the query {}, which has no documents", in_quotes(unused.begin()->first)));
    return of_query;
  }
};

DatasetBuilder::DatasetBuilder() : state_(std::make_unique<State>()) {}
DatasetBuilder::~DatasetBuilder() = default;
DatasetBuilder::DatasetBuilder(DatasetBuilder&&) noexcept = default;
DatasetBuilder& DatasetBuilder::operator=(DatasetBuilder&&) noexcept = default;

void DatasetBuilder::add(const Document& document, std::span<const float> features) {
  if (state_->dense_width.value_or(features.size()) != features.size())
    throw bad_input(fmt::format("document {} has {} features; expected {} as in the documents before", state_->rows,
                                features.size(), *state_->dense_width));
  if (features.size() > kMaxFeatureId)
    throw bad_input(fmt::format("{} features; expected at most {}", features.size(), kMaxFeatureId));
  state_->ids.resize(features.size());
  std::iota(state_->ids.begin(), state_->ids.end(), 1u);
  state_->values.assign(features.begin(), features.end());
  for (float& value : state_->values) value += 0.0f;  // -0 becomes 0
  state_->add(document);
  state_->dense_width = features.size();
}

void DatasetBuilder::add(const Document& document, SparseRow features) {
  const std::size_t n = features.columns.size();
  if (features.values.size() != n)
    throw bad_input(fmt::format("document {} has {} columns but {} values", state_->rows, n, features.values.size()));
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return features.columns[a] < features.columns[b]; });
  state_->ids.clear();
  state_->values.clear();
  for (std::uint32_t k : order) {
    const std::uint32_t column = features.columns[k];
    if (column >= kMaxFeatureId)
      throw bad_input(
          fmt::format("document {} has the column {}; expected less than {}", state_->rows, column, kMaxFeatureId));
    if (!state_->ids.empty() && state_->ids.back() == column + 1)
      throw bad_input(fmt::format("document {} has two values in column {}", state_->rows, column));
    state_->ids.push_back(column + 1);
    state_->values.push_back(features.values[k] + 0.0f);  // -0 becomes 0
  }
  state_->add(document);
}

void DatasetBuilder::set_feature_names(std::vector<std::string> names) { state_->names = std::move(names); }

void DatasetBuilder::set_query_weight(std::string_view query_id, double weight) {
  if (!(weight >= 0) || !std::isfinite(weight))
    throw bad_input(fmt::format("the query {} has the weight {}; expected a finite number, 0 or more",
                                in_quotes(query_id), weight));
  state_->weights.insert_or_assign(std::string(query_id), weight);
}

Dataset DatasetBuilder::finish() {
  const std::unique_ptr<State> state = std::exchange(state_, std::make_unique<State>());
  if (state->rows == 0) throw bad_input("no documents");
  state->blocks.push_back(state->writer.take());
  std::uint64_t width = state->dense_width.value_or(0);
  for (const RowBlock& block : state->blocks) width = std::max<std::uint64_t>(width, block.max_id);
  AssembleOptions options;
  options.num_features = width;
  if (!state->names.empty()) {
    if (state->names.size() < width || (state->dense_width && state->names.size() != width))
      throw bad_input(fmt::format("{} feature names for {} features", state->names.size(), width));
    options.num_features = state->names.size();
    for (const std::string& name : state->names) options.feature_names.push_back(name);
  }
  Grouping grouping = group_by_query_id(state->blocks);
  options.query_weights = state->query_weights(grouping);
  return Dataset(assemble(std::move(state->blocks), std::move(grouping), std::move(options)));
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "data/assemble.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/parallel.h"
#include "data/column_numbers.h"
#include "data/impute.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// The memory behind an assembled Storage.
struct Owned {
  Storage storage;
  PageBuffer<float> values;
  PageBuffer<std::uint32_t> columns;
  std::vector<std::uint64_t> row_end;
  std::vector<float> labels;
  PackedText document_ids;
  std::vector<std::uint32_t> group_of;
  PackedText group_names;
  Grouping grouping;
  std::vector<double> query_weights;
  PackedText feature_names;
  std::vector<std::uint32_t> feature_numbers;
};

class Assembler {
 public:
  Assembler(std::vector<RowBlock> blocks, Grouping grouping, AssembleOptions options)
      : blocks_(std::move(blocks)),
        threads_(options.threads),
        input_(std::move(options.input)),
        placed_(std::move(options.placed)),
        owned_(std::make_shared<Owned>()) {
    owned_->grouping = std::move(grouping);
    owned_->query_weights = std::move(options.query_weights);
    owned_->feature_names = std::move(options.feature_names);
    for (const RowBlock& block : blocks_) {
      first_row_.push_back(num_rows_);
      num_rows_ += block.num_rows();
    }
    invert_source_rows();
    measure_features(options.num_features);
    if (options.dense) set_dense(*options.dense);
  }

  std::shared_ptr<const Storage> run() {
    fill_labels();
    fill_document_ids();
    fill_groups();
    const Storage& storage = owned_->storage;
    const bool done =
        storage.dense && place_.empty() && placed_.are(num_rows_, storage.first_feature_id, storage.num_features);
    if (!done && placed_.num_rows() > 0) restore_placed();
    if (done)
      owned_->values = placed_.take();
    else if (storage.dense)
      fill_dense();
    else
      fill_compressed();
    if (input_.fills()) impute();
    publish();
    return {owned_, &owned_->storage};
  }

 private:
  std::uint64_t place(std::size_t block, std::size_t row) const {
    const std::uint64_t source = first_row_[block] + row;
    return place_.empty() ? source : place_[source];
  }

  void invert_source_rows() {
    const std::vector<std::uint64_t>& source = owned_->grouping.source_rows;
    place_.resize(source.size());
    for (std::uint64_t document = 0; document < source.size(); ++document) place_[source[document]] = document;
  }

  void measure_features(std::uint64_t at_least) {
    Storage& storage = owned_->storage;
    std::uint64_t past_last = 1;  // id after the last; 1 when no row names a feature
    double nonzeros = 0;
    for (const RowBlock& block : blocks_) {
      if (block.any_id) past_last = std::max<std::uint64_t>(past_last, std::uint64_t{block.max_id} + 1);
      if (block.id_zero) storage.first_feature_id = 0;
      nonzeros += static_cast<double>(block.nonzeros);
    }
    storage.num_features = std::max(past_last - storage.first_feature_id, at_least);
    set_dense(worth_dense(nonzeros, num_rows_, storage.num_features));
  }

  void set_dense(bool dense) {
    Storage& storage = owned_->storage;
    storage.dense = dense;
    storage.stride = dense ? dense_stride(storage.num_features) : 0;
  }

  // body(block), what takes a few nanoseconds for each row.
  template <class Body>
  void for_blocks(const Body& body) const {
    constexpr std::uint64_t kNanosecondsPerRow = 4;
    parallel_for(blocks_.size(), threads_worth(threads_, kNanosecondsPerRow * num_rows_),
                 [&](std::size_t b, std::size_t) { body(b); });
  }

  // Labels that some rows lack are no labels.
  void fill_labels() {
    owned_->labels.resize(num_rows_, 0.0f);
    const auto unlabelled = [](const RowBlock& block) { return block.unlabelled; };
    owned_->storage.labelled = std::none_of(blocks_.begin(), blocks_.end(), unlabelled);
    if (!owned_->storage.labelled) return;
    for_blocks([&](std::size_t b) {
      for (std::size_t row = 0; row < blocks_[b].num_rows(); ++row)
        owned_->labels[place(b, row)] = blocks_[b].labels[row];
    });
  }

  // Lengths to their places, then where each begins, then the text.
  void fill_document_ids() {
    const auto has_ids = [](const RowBlock& block) { return !block.document_ids.empty(); };
    if (std::none_of(blocks_.begin(), blocks_.end(), has_ids)) return;
    PackedText& out = owned_->document_ids;
    out.end.resize(num_rows_, 0);
    for_blocks([&](std::size_t b) {
      for (std::size_t row = 0; row < blocks_[b].document_ids.size(); ++row)
        out.end[place(b, row)] = blocks_[b].document_ids[row].size();
    });
    std::uint64_t total = 0;
    for (std::uint64_t& end : out.end) end = total += end;
    out.text.resize(total);
    for_blocks([&](std::size_t b) {
      for (std::size_t row = 0; row < blocks_[b].document_ids.size(); ++row) {
        const std::string_view id = blocks_[b].document_ids[row];
        std::copy(id.begin(), id.end(), out.text.data() + (out.end[place(b, row)] - id.size()));
      }
      blocks_[b].document_ids = PackedText();
    });
  }

  void fill_groups() {
    std::unordered_map<std::string_view, std::uint32_t> index;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const PackedText& groups = blocks_[b].groups;
      if (!groups.empty() && owned_->group_of.empty()) owned_->group_of.resize(num_rows_, 0);
      for (std::size_t row = 0; row < groups.size(); ++row) {
        if (groups[row].empty()) continue;
        const auto next = static_cast<std::uint32_t>(index.size() + 1);
        const auto [entry, is_new] = index.try_emplace(groups[row], next);
        if (is_new) owned_->group_names.push_back(groups[row]);
        owned_->group_of[place(b, row)] = entry->second;
      }
    }
  }

  void restore_placed() {
    parallel_for(blocks_.size(), threads_, [&](std::size_t b, std::size_t) {
      if (first_row_[b] < placed_.num_rows()) placed_.restore(blocks_[b], first_row_[b]);
    });
    placed_ = PlacedRows();
  }

  void fill_dense() {
    const Storage& storage = owned_->storage;
    if (storage.stride != 0 && num_rows_ > PTRDIFF_MAX / sizeof(float) / storage.stride) throw std::bad_alloc();
    owned_->values = PageBuffer<float>(num_rows_ * storage.stride);
    parallel_for(blocks_.size(), threads_, [&](std::size_t b, std::size_t) {
      blocks_[b].each_row([&](std::size_t row, const BlockRow& features) {
        float* out = owned_->values.data() + place(b, row) * storage.stride;
        if (features.ids.empty() && !features.values.empty())
          std::copy(features.values.begin(), features.values.end(), out + (features.first - storage.first_feature_id));
        for (std::size_t k = 0; k < features.ids.size(); ++k)
          out[features.ids[k] - storage.first_feature_id] = features.values[k];
      });
      blocks_[b].values = PageBuffer<float>();
      blocks_[b].ids = PageBuffer<std::uint32_t>();
    });
  }

  void fill_compressed() {
    std::vector<std::uint64_t>& row_end = owned_->row_end;
    row_end.resize(num_rows_);
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      blocks_[b].each_row([&](std::size_t row, const BlockRow& features) {
        const auto zeros = std::count(features.values.begin(), features.values.end(), 0.0f);
        row_end[place(b, row)] = features.values.size() - static_cast<std::size_t>(zeros);
      });
    std::uint64_t total = 0;
    for (std::uint64_t& end : row_end) end = total += end;
    owned_->values = PageBuffer<float>(total);
    owned_->columns = PageBuffer<std::uint32_t>(total);
    parallel_for(blocks_.size(), threads_, [&](std::size_t b, std::size_t) {
      blocks_[b].each_row([&](std::size_t row, const BlockRow& features) {
        const std::uint64_t document = place(b, row);
        std::uint64_t at = document == 0 ? 0 : row_end[document - 1];
        for (std::size_t k = 0; k < features.values.size(); ++k) {
          if (features.values[k] == 0) continue;
          owned_->values[at] = features.values[k];
          owned_->columns[at++] = features.id(k) - owned_->storage.first_feature_id;
        }
      });
      blocks_[b].values = PageBuffer<float>();
      blocks_[b].ids = PageBuffer<std::uint32_t>();
    });
    if (owned_->feature_names.empty()) leave_out_numbers({owned_->columns.data(), total});
  }

  void leave_out_numbers(std::span<std::uint32_t> columns) {
    Storage& storage = owned_->storage;
    owned_->feature_numbers = occurring_numbers(columns, storage.num_features);
    if (owned_->feature_numbers.empty()) return;
    to_places(columns, owned_->feature_numbers, columns);
    storage.feature_range = storage.num_features;
    storage.num_features = owned_->feature_numbers.size();
  }

  std::string feature_name(std::size_t column) const {
    if (!owned_->feature_names.empty()) return std::string(owned_->feature_names[column]);
    const std::uint64_t number = owned_->feature_numbers.empty() ? column : owned_->feature_numbers[column];
    return std::to_string(number + owned_->storage.first_feature_id);
  }

  /// What stands for a missing value of each feature: as given, else by the values that are there.
  std::vector<float> fills_of(std::span<const float> values, const std::vector<Missing>& rules) {
    const Storage& storage = owned_->storage;
    std::vector<float> fills;
    if (!input_.means.empty()) {
      for (std::size_t j = 0; j < storage.num_features; ++j) {
        const auto mean = input_.means.find(feature_name(j));
        fills.push_back(mean == input_.means.end() ? 0.0f : static_cast<float>(mean->second));
      }
      return fills;
    }
    fills = storage.dense ? dense_means(values, storage.num_features, storage.stride)
                          : compressed_means(values, owned_->columns.span(), storage.num_features, num_rows_);
    std::vector<float> minima;
    if (input_.has_rule(Missing::query_min))
      minima = storage.dense ? dense_minima(values, storage.num_features, storage.stride)
                             : compressed_minima(values, owned_->columns.span(), storage.num_features, num_rows_);
    for (std::size_t j = 0; j < fills.size(); ++j) {
      if (rules[j] == Missing::query_min) fills[j] = minima[j];
      if (rules[j] == Missing::zero) fills[j] = 0;
      input_.means.emplace(feature_name(j), fills[j]);
    }
    return fills;
  }

  void impute_by_query(std::span<float> values, const std::vector<Missing>& rules) {
    if (!input_.has_rule(Missing::query_min)) return;
    const Storage& storage = owned_->storage;
    std::vector<std::uint32_t> chosen;
    std::vector<bool> is_chosen;
    for (std::size_t j = 0; j < rules.size(); ++j) {
      is_chosen.push_back(rules[j] == Missing::query_min);
      if (is_chosen.back()) chosen.push_back(static_cast<std::uint32_t>(j));
    }
    const std::vector<std::uint64_t>& query_end = owned_->grouping.query_end;
    if (storage.dense)
      impute_query_minima(values, storage.stride, query_end, chosen);
    else
      impute_query_minima(values, owned_->columns.span(), owned_->row_end, query_end, is_chosen);
  }

  void impute() {
    const Storage& storage = owned_->storage;
    const std::span<float> values(owned_->values.data(), num_values());
    std::vector<Missing> rules;
    for (std::size_t j = 0; j < storage.num_features; ++j) rules.push_back(input_.missing_rule(feature_name(j)));
    std::vector<float> means = fills_of(values, rules);
    impute_by_query(values, rules);
    for (std::size_t j = 0; j < rules.size(); ++j)
      if (rules[j] == Missing::keep) means[j] = std::numeric_limits<float>::quiet_NaN();
    if (storage.dense)
      impute_dense(values, storage.stride, means);
    else
      impute_compressed(values, owned_->columns.span(), means);
  }

  std::size_t num_values() const {
    return owned_->storage.dense ? num_rows_ * owned_->storage.stride : owned_->values.size();
  }

  void publish() {
    Storage& storage = owned_->storage;
    storage.values = owned_->values.span().first(num_values());
    storage.columns = owned_->columns.span();
    storage.row_end = owned_->row_end;
    storage.labels = owned_->labels;
    storage.source_rows = owned_->grouping.source_rows;
    storage.document_ids = owned_->document_ids.view();
    storage.group_of = owned_->group_of;
    storage.group_names = owned_->group_names.view();
    storage.query_end = owned_->grouping.query_end;
    storage.query_ids = owned_->grouping.query_ids.view();
    storage.query_weights = owned_->query_weights;
    storage.feature_names = owned_->feature_names.view();
    storage.feature_numbers = owned_->feature_numbers;
    if (input_ != InputDescription()) storage.input = std::make_shared<const InputDescription>(std::move(input_));
  }

  std::vector<RowBlock> blocks_;
  std::vector<std::uint64_t> first_row_;  // by block
  std::vector<std::uint64_t> place_;      // document of each source row; empty: the same
  std::uint64_t num_rows_ = 0;
  std::size_t threads_;
  InputDescription input_;
  PlacedRows placed_;
  std::shared_ptr<Owned> owned_;
};

}  // namespace

std::shared_ptr<const Storage> assemble(std::vector<RowBlock> blocks, Grouping grouping, AssembleOptions options) {
  return Assembler(std::move(blocks), std::move(grouping), std::move(options)).run();
}

}  // namespace dorm

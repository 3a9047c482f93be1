// SPDX-License-Identifier: Apache-2.0
#include "dorm/dataset.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/storage.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// Begin of range i in an array of range ends.
std::uint64_t begin_of(std::span<const std::uint64_t> end, std::size_t i) { return i == 0 ? 0 : end[i - 1]; }

std::vector<std::uint32_t> all_queries(const Storage& storage) {
  std::vector<std::uint32_t> queries(storage.query_end.size());
  std::iota(queries.begin(), queries.end(), 0u);
  return queries;
}

const JoinedPart& part_of(const Storage& storage, std::uint64_t query) {
  const auto after = std::upper_bound(storage.parts.begin(), storage.parts.end(), query,
                                      [](std::uint64_t q, const JoinedPart& part) { return q < part.first_query; });
  return *(after - 1);
}

float stored_value(const SparseRow& row, std::size_t column) {
  const auto found = std::lower_bound(row.columns.begin(), row.columns.end(), column);
  if (found == row.columns.end() || *found != column) return 0.0f;
  return row.values[static_cast<std::size_t>(found - row.columns.begin())];
}

}  // namespace

std::size_t FeatureRows::num_features() const { return storage_->num_features; }
bool FeatureRows::dense() const { return storage_->dense; }
std::size_t FeatureRows::stride() const { return storage_->stride; }

const float* FeatureRows::dense_row(std::size_t i) const {
  return storage_->values.data() + (first_ + i) * storage_->stride;
}

SparseRow FeatureRows::sparse_row(std::size_t i) const {
  const std::uint64_t begin = begin_of(storage_->row_end, first_ + i);
  const std::uint64_t size = storage_->row_end[first_ + i] - begin;
  return {storage_->columns.subspan(begin, size), storage_->values.subspan(begin, size)};
}

std::size_t FeatureRows::num_stored() const {
  return size_ == 0 ? 0 : storage_->row_end[first_ + size_ - 1] - begin_of(storage_->row_end, first_);
}

SparseRow FeatureRows::background() const {
  const std::span<const std::uint64_t> end = storage_->background_end;
  if (end.empty()) return {};
  const std::size_t which = end.size() == 1 ? 0 : query_;
  const std::uint64_t begin = begin_of(end, which), size = end[which] - begin;
  return {storage_->background_columns.subspan(begin, size), storage_->background_values.subspan(begin, size)};
}

bool FeatureRows::common_background() const { return storage_->background_end.size() == 1; }

float FeatureRows::at(std::size_t i, std::size_t column) const {
  if (dense()) return dense_row(i)[column];
  return stored_value(sparse_row(i), column) + stored_value(background(), column);
}

void FeatureRows::load(std::size_t i, std::span<float> out) const {
  if (dense()) {
    std::copy_n(dense_row(i), out.size(), out.begin());
    return;
  }
  std::fill(out.begin(), out.end(), 0.0f);
  for (const SparseRow& part : {background(), sparse_row(i)})
    for (std::size_t k = 0; k < part.columns.size(); ++k) out[part.columns[k]] += part.values[k];
}

Dataset::Dataset() : Dataset(std::make_shared<const Storage>()) {}

Dataset::Dataset(const std::shared_ptr<const Storage>& storage) : Dataset(storage, all_queries(*storage)) {}

Dataset::Dataset(std::shared_ptr<const Storage> storage, std::vector<std::uint32_t> queries)
    : storage_(std::move(storage)), queries_(std::move(queries)) {
  first_document_.reserve(queries_.size() + 1);
  std::size_t documents = 0;
  first_document_.push_back(documents);
  for (std::uint32_t q : queries_)
    first_document_.push_back(documents += storage_->query_end[q] - begin_of(storage_->query_end, q));
}

std::size_t Dataset::num_features() const { return storage_->num_features; }
bool Dataset::dense() const { return storage_->dense; }

std::size_t Dataset::num_nonzeros() const {
  if (dense()) return num_documents() * num_features();
  std::size_t total = 0;
  for (std::size_t q = 0; q < num_queries(); ++q) total += query(q).rows.num_stored();
  return total;
}

Error lost_features(const std::string& file) {
  return {ErrorCode::io, {file, 0, 0}, "became shorter while in use; expected a file that does not change"};
}

void let_go(const Dataset& data, std::size_t first, std::size_t last) {
  const std::string_view mapping = data.storage().mapping;
  if (mapping.empty() || !data.dense() || first >= last) return;
  const Query front = data.query(first), back = data.query(last - 1);
  const char* const begin = reinterpret_cast<const char*>(front.rows.dense_row(0));
  const char* const end = reinterpret_cast<const char*>(back.rows.dense_row(0) + back.size() * back.rows.stride());
  const std::size_t documents = data.first_document(last) - data.first_document(first);
  const bool together = end - begin == static_cast<std::ptrdiff_t>(documents * front.rows.stride() * sizeof(float));
  if (!together || begin < mapping.data() || end > mapping.data() + mapping.size()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;  // the next whole page
  const auto size = static_cast<std::uintptr_t>(end - begin);
  if (before >= size) return;
  // The system takes no pointer to const, but does not write.
  static_cast<void>(::madvise(const_cast<char*>(begin) + before, (size - before) / page * page, MADV_DONTNEED));
}

bool Dataset::mapped() const {
  if (storage_->parts.empty()) return !storage_->mapping.empty();
  return std::all_of(storage_->parts.begin(), storage_->parts.end(),
                     [](const JoinedPart& part) { return part.data.mapped(); });
}

void Dataset::require_intact() const {
  if (storage_->lost != nullptr && *storage_->lost) throw lost_features(storage_->file);
  for (const JoinedPart& part : storage_->parts) part.data.require_intact();
}

FeatureRows Dataset::feature_rows(std::uint32_t stored, std::uint64_t first, std::uint64_t size) const {
  if (!storage_->parts.empty()) {
    const JoinedPart& part = part_of(*storage_, stored);
    return part.data.query(stored - part.first_query).rows;
  }
  if (storage_->lost != nullptr && *storage_->lost) throw lost_features(storage_->file);
  return {storage_.get(), first, size, stored};
}

Query Dataset::query(std::size_t q) const& {
  const std::uint32_t stored = queries_[q];
  const std::uint64_t begin = begin_of(storage_->query_end, stored);
  const std::uint64_t size = storage_->query_end[stored] - begin;
  return {storage_->query_ids[stored], feature_rows(stored, begin, size), storage_->labels.subspan(begin, size),
          storage_->query_weights.empty() ? 1.0 : storage_->query_weights[stored], first_document_[q]};
}

std::size_t Dataset::stored_document(std::size_t document) const {
  const auto after = std::upper_bound(first_document_.begin(), first_document_.end(), document);
  const auto q = static_cast<std::size_t>(after - first_document_.begin()) - 1;
  return begin_of(storage_->query_end, queries_[q]) + (document - first_document_[q]);
}

std::uint64_t Dataset::source_row(std::size_t document) const {
  const std::size_t stored = stored_document(document);
  return storage_->source_rows.empty() ? stored : storage_->source_rows[stored];
}

bool Dataset::has_labels() const { return storage_->labelled; }

void Dataset::require_labels() const {
  if (!has_labels()) throw Error(ErrorCode::bad_input, "the data has no labels; expected judged documents");
}

bool Dataset::has_document_ids() const { return !storage_->document_ids.empty(); }

std::string_view Dataset::document_id(std::size_t document) const {
  return has_document_ids() ? storage_->document_ids[stored_document(document)] : std::string_view();
}

std::string Dataset::document_name(std::size_t document) const {
  const std::string_view id = document_id(document);
  return id.empty() ? std::to_string(source_row(document) + 1) : std::string(id);
}

bool Dataset::has_groups() const { return !storage_->group_of.empty(); }

std::string_view Dataset::group(std::size_t document) const {
  if (!has_groups()) return {};
  const std::uint32_t group = storage_->group_of[stored_document(document)];
  return group == 0 ? std::string_view() : storage_->group_names[group - 1];
}

bool Dataset::has_feature_names() const { return !storage_->feature_names.empty(); }
std::uint32_t Dataset::first_feature_id() const { return storage_->first_feature_id; }

std::string Dataset::feature_name(std::size_t column) const {
  if (has_feature_names()) return std::string(storage_->feature_names[column]);
  return std::to_string(std::uint64_t{feature_number(column)} + storage_->first_feature_id);
}

std::uint32_t Dataset::feature_number(std::size_t column) const {
  const std::span<const std::uint32_t> numbers = storage_->feature_numbers;
  return numbers.empty() ? static_cast<std::uint32_t>(column) : numbers[column];
}

std::uint64_t Dataset::feature_range() const {
  return storage_->feature_numbers.empty() ? storage_->num_features : storage_->feature_range;
}

Dataset marked_as_clicks(const Dataset& data) {
  InputDescription input = data.input();
  input.columns.label = kClickGain;
  auto storage = std::make_shared<Storage>(data.storage());
  storage->input = std::make_shared<const InputDescription>(std::move(input));
  storage->owner = std::make_shared<const Dataset>(data);
  return data.over(std::move(storage));
}

const InputDescription& Dataset::input() const {
  static const InputDescription nothing;
  return storage_->input ? *storage_->input : nothing;
}

Dataset Dataset::select(std::span<const std::size_t> queries) const {
  std::vector<std::uint32_t> stored;
  stored.reserve(queries.size());
  for (std::size_t q : queries) {
    if (q >= num_queries())
      throw Error(ErrorCode::bad_option,
                  fmt::format("no query {} in a set of {} queries, counted from 0", q, num_queries()));
    stored.push_back(queries_[q]);
  }
  return Dataset(storage_, std::move(stored));
}

Dataset Dataset::with_labels(std::span<const float> labels) const {
  if (labels.size() != num_documents())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} labels for {} documents; expected one per document", labels.size(), num_documents()));
  for (float label : labels)
    if (!std::isfinite(label))
      throw Error(ErrorCode::bad_input, fmt::format("a label is {}; expected a number", label));
  struct Relabelled {  // what the new block keeps alive
    std::shared_ptr<const Storage> old;
    std::vector<float> labels;
  };
  auto owner = std::make_shared<Relabelled>();
  owner->old = storage_;
  owner->labels.assign(storage_->labels.begin(), storage_->labels.end());
  for (std::size_t q = 0; q < num_queries(); ++q) {
    const std::span<const float> own = labels.subspan(first_document_[q], first_document_[q + 1] - first_document_[q]);
    std::copy(own.begin(), own.end(),
              owner->labels.begin() + static_cast<std::ptrdiff_t>(begin_of(storage_->query_end, queries_[q])));
  }
  auto storage = std::make_shared<Storage>(*storage_);
  storage->labels = owner->labels;
  storage->labelled = true;
  storage->owner = std::move(owner);
  return Dataset(std::move(storage), queries_);
}

}  // namespace dorm

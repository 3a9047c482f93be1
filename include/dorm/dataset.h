// SPDX-License-Identifier: Apache-2.0
// Queries with their documents: features, labels and names in one immutable block of memory.
//
// A Dataset is a cheap handle: copies and selections share the block, which may be owned memory or a mapped file. The
// documents of a query are contiguous; Dataset::source_row says where each stood in its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/data/input.h"

namespace dorm {

struct Storage;  // src/data/storage.h

struct SparseRow {
  std::span<const std::uint32_t> columns;  // strictly increasing
  std::span<const float> values;
};

/// A view of consecutive feature rows, dense or compressed. Valid as long as a Dataset sharing the block lives.
class FeatureRows {
 public:
  FeatureRows(const Storage* storage, std::size_t first, std::size_t size, std::size_t query)
      : storage_(storage), first_(first), size_(size), query_(query) {}

  std::size_t size() const { return size_; }
  std::size_t num_features() const;
  bool dense() const;

  /// Dense only: num_features() floats; `stride()` floats from row to row.
  const float* dense_row(std::size_t i) const;
  std::size_t stride() const;
  /// Compressed only: the values stored. What scaling has made of zeros that are not stored is the same in every row,
  /// and stands in background(), to be added; it is empty for data that is not scaled.
  SparseRow sparse_row(std::size_t i) const;
  std::size_t num_stored() const;  // values of all rows
  SparseRow background() const;
  bool common_background() const;  // one for all queries

  /// The value, or the whole row of num_features() values, in either form.
  float at(std::size_t i, std::size_t column) const;
  void load(std::size_t i, std::span<float> out) const;

 private:
  const Storage* storage_;
  std::size_t first_;
  std::size_t size_;
  std::size_t query_;  // of the storage
};

/// One query; a view into the memory of its Dataset.
struct Query {
  std::string_view id;
  FeatureRows rows;
  std::span<const float> labels;
  double weight = 1.0;
  std::size_t first_document = 0;  // of this query, counted over the Dataset it came from

  std::size_t size() const { return labels.size(); }
};

class Dataset {
 public:
  Dataset();  // no queries

  std::size_t num_queries() const { return queries_.size(); }
  std::size_t num_documents() const { return first_document_.back(); }
  std::size_t num_features() const;  // columns
  std::size_t num_nonzeros() const;  // stored values; num_documents() * num_features() when dense
  bool dense() const;

  /// Throws Error(io) as require_intact() does.
  Query query(std::size_t q) const&;
  Query query(std::size_t q) const&& = delete;  // the view would dangle

  /// Documents are counted over this Dataset, query by query.
  std::size_t first_document(std::size_t q) const { return first_document_[q]; }
  std::uint64_t source_row(std::size_t document) const;  // 0-based row of the input the document came from
  bool has_labels() const;                               // false: it was read without any, and all labels are 0
  bool has_document_ids() const;
  std::string_view document_id(std::size_t document) const;  // empty when there are none
  std::string document_name(std::size_t document) const;     // its id; without one, its row counted from 1
  bool has_groups() const;
  std::string_view group(std::size_t document) const;  // e.g. the site a page belongs to; empty = no group

  std::string feature_name(std::size_t column) const;  // its name, or the number it had in the file
  bool has_feature_names() const;                      // false: numbers counted from first_feature_id()
  std::uint32_t first_feature_id() const;              // 0 or 1

  /// Columns are numbered 0, 1, ... unless few of many numbers occur in compressed data: then those alone are columns.
  /// Numbers are less than feature_range(); the file's own are first_feature_id() more.
  std::uint32_t feature_number(std::size_t column) const;
  std::uint64_t feature_range() const;

  /// How it was read; what there is to say by default where it was not read from a file.
  const InputDescription& input() const;

  /// The queries with these indices, in the given order; shares the features.
  Dataset select(std::span<const std::size_t> queries) const;

  /// The same with other labels, one per document; shares the features. Throws Error(bad_input) for another number of
  /// them, or one that is not finite.
  Dataset with_labels(std::span<const float> labels) const;

  /// A hash of all features, labels, ids and weights, equal on every platform.
  std::uint64_t fingerprint(std::size_t threads = 1) const;

  /// Throws Error(bad_input) when has_labels() is false.
  void require_labels() const;

  /// Throws Error(io) when the features lie in a mapped file that has become shorter in the meantime. To be called
  /// after the last use of features: those of lost pages have read as 0.
  void require_intact() const;

  /// Whether the features lie in a mapped file, whose pages the system takes back at need.
  bool mapped() const;

  const Storage& storage() const { return *storage_; }
  /// The same queries of another block with the same queries.
  Dataset over(std::shared_ptr<const Storage> storage) const { return Dataset(std::move(storage), queries_); }
  explicit Dataset(const std::shared_ptr<const Storage>& storage);

 private:
  Dataset(std::shared_ptr<const Storage> storage, std::vector<std::uint32_t> queries);
  std::size_t stored_document(std::size_t document) const;
  FeatureRows feature_rows(std::uint32_t stored, std::uint64_t first, std::uint64_t size) const;

  std::shared_ptr<const Storage> storage_;
  std::vector<std::uint32_t> queries_;       // indices into the storage
  std::vector<std::size_t> first_document_;  // num_queries() + 1 entries
};

/// For programs: add documents in any order, then finish() once.
class DatasetBuilder {
 public:
  struct Document {
    float label = 0;
    std::string_view query_id;
    std::string_view document_id = {};
    std::string_view group = {};
  };

  DatasetBuilder();
  ~DatasetBuilder();
  DatasetBuilder(DatasetBuilder&&) noexcept;
  DatasetBuilder& operator=(DatasetBuilder&&) noexcept;

  void add(const Document& document, std::span<const float> features);  // dense; all rows of one length
  void add(const Document& document, SparseRow features);               // columns in any order, no repeats
  void set_feature_names(std::vector<std::string> names);
  void set_query_weight(std::string_view query_id, double weight);  // finite, >= 0; 1 by default

  /// Throws Error(bad_input) for NaN or infinite numbers, an empty set, or names that do not match the features.
  Dataset finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The values of each feature over all documents, as they were read; empty: not known.
struct FeatureStatistics {
  std::vector<double> minimum, maximum, mean;

  bool known() const { return !minimum.empty(); }

  /// Those of `documents` documents, with `others` of other documents that have the same features. Not known
  /// unless both are.
  void add(std::size_t documents, const FeatureStatistics& others, std::size_t other_documents);
};

}  // namespace dorm

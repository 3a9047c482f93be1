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

/// The same data, whose labels are gains estimated from clicks: input().of_clicks(). Shares everything.
Dataset marked_as_clicks(const Dataset& data);

/// The same data with other query weights, one per query in the order of `data`: finite, 0 or more, not all
/// 0. Shares the features. Throws Error(bad_input).
Dataset with_query_weights(const Dataset& data, std::vector<double> weights);

/// The queries of several sets, one set after another; shares the features of each. Rows are counted over all. Throws
/// Error(bad_input) where the parts differ in their features or in how they were read, or a query is in two of them.
Dataset join(std::vector<Dataset> parts);

/// The values of each feature over all documents, as they were read; empty: not known.
struct FeatureStatistics {
  std::vector<double> minimum, maximum, mean;

  bool known() const { return !minimum.empty(); }

  /// Those of `documents` documents, with `others` of other documents that have the same features. Not known
  /// unless both are.
  void add(std::size_t documents, const FeatureStatistics& others, std::size_t other_documents);
};

/// A feature that gives the label away, so that what is learnt from it is worth nothing.
struct LabelLeak {
  enum class Kind {
    equal,     // it is the label
    monotone,  // it orders all documents as the label does
    name,      // its name is one that labels have
  };
  Kind kind;
  std::string feature;
};
/// In one pass over the features; of small data, where order may be chance, by name and equality alone.
std::vector<LabelLeak> find_label_leaks(const Dataset& data);

/// What becomes of documents that were not judged, those with a negative label.
///   grade:     they stay, and their labels count as grades below 0
///   bad:       label 0, as measures take them
///   drop:      they are left out, and with them queries that have no others
///   automatic: bad where -1 must mean it, since labels are whole numbers and none is below -1; else grade
enum class Unjudged { grade, bad, drop, automatic };
Unjudged parse_unjudged(std::string_view name);  // a name of unjudged_catalog(), else throws Error(unknown_name)
std::string_view name_of(Unjudged rule);
std::span<const CatalogEntry> unjudged_catalog();

/// What `automatic` means for these labels; other rules as they are.
Unjudged settle_unjudged(Unjudged rule, std::span<const float> labels);

/// The data under the rule; shares the features unless documents are left out, and source rows are then renumbered.
/// `changed` becomes the number of documents with another label or left out. Throws Error(bad_input) when none is left.
Dataset with_unjudged(const Dataset& data, Unjudged rule, std::size_t* changed = nullptr);

/// Which shard a query belongs to, by its id alone: the XXH3 hash of 64 bits modulo the number of shards, so that it is
/// the same on every machine. Throws Error(bad_option) for 0 shards, or more than 32 bits can number.
std::uint32_t shard_of(std::string_view query_id, std::size_t num_shards);

/// The same data in an order that does not depend on that of its input: queries by id (bytes); documents of a query by
/// document id (bytes) where there are ids, then by features (column by column), label and group, each ascending: where
/// scores tie, the order says nothing of labels unless the documents are alike. source_row() stays true. Where all
/// documents stand so already, the features are shared, else copied. Throws Error(unsupported) for scaled data in
/// compressed form.
Dataset in_canonical_order(const Dataset& data, std::size_t threads = 1);

/// The queries of each shard as they stand, perhaps none: selections of the data.
std::vector<Dataset> queries_of_shards(const Dataset& data, std::size_t num_shards);

/// The data of each shard in canonical order, perhaps without queries: selections of one block, which is that of
/// in_canonical_order().
std::vector<Dataset> split_into_shards(const Dataset& data, std::size_t num_shards, std::size_t threads = 1);

/// k disjoint parts of the queries, sizes differing by at most one, shuffled by the seed. Returns the query indices.
std::vector<std::vector<std::size_t>> folds(const Dataset& data, std::size_t k, std::uint64_t seed);

}  // namespace dorm

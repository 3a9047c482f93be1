// SPDX-License-Identifier: Apache-2.0
// Documents as read, in input order: the piece of a data set one parser call makes, before queries are gathered and the
// final form of the features is chosen.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/page_buffer.h"
#include "data/packed_text.h"

namespace dorm {

/// The largest feature id a row may name.
inline constexpr std::uint32_t kMaxFeatureId = std::uint32_t{1} << 31;

/// Features of one row: values of the ids first, first + 1, ... when `ids` is empty, else of the ids listed.
struct BlockRow {
  std::uint32_t first;
  std::span<const std::uint32_t> ids;
  std::span<const float> values;

  std::uint32_t id(std::size_t k) const { return ids.empty() ? first + static_cast<std::uint32_t>(k) : ids[k]; }
};

struct RowBlock {
  static constexpr std::uint32_t kListed = std::numeric_limits<std::uint32_t>::max();

  std::vector<float> labels;
  bool unlabelled = false;           // some row has no label
  std::vector<std::uint32_t> first;  // id of the row's first value, or kListed: its ids are in `ids`
  std::vector<std::uint32_t> count;  // values of the row
  PageBuffer<float> values;
  PageBuffer<std::uint32_t> ids;

  PackedText queries;  // id of each run of consecutive rows; without runs, rows name no query
  std::vector<std::uint32_t> query_rows;
  PackedText document_ids;  // may stop early or be empty: the rest have none
  PackedText groups;        // likewise

  std::uint64_t nonzeros = 0;
  std::uint32_t max_id = 0;
  bool any_id = false;
  bool id_zero = false;  // some row names feature 0

  std::size_t num_rows() const { return labels.size(); }

  /// Frees the features and their positions: they have been used.
  void drop_features();

  /// Visits the rows in order: visit(row number, BlockRow).
  template <class Visit>
  void each_row(Visit visit) const {
    each_row(values.data(), ids.data(), visit);
  }

  /// The same with features that are kept elsewhere.
  template <class Visit>
  void each_row(const float* value, const std::uint32_t* id, Visit visit) const {
    for (std::size_t row = 0; row < num_rows(); ++row) {
      const std::size_t n = count[row];
      const bool listed = first[row] == kListed;
      BlockRow view{first[row], {}, {value, n}};
      if (listed) view.ids = {id, n};
      visit(row, view);
      value += n;
      if (listed) id += n;
    }
  }
};

/// Fills a RowBlock row by row; its arrays are reused for the next block.
class RowBlockWriter {
 public:
  struct Names {
    std::string_view query, document, group;  // empty: none
  };

  /// `label`: NaN for none. `ids` strictly increasing. A row at least half full is stored as a run, its gaps zero; so
  /// no row takes more room than its dense form.
  void add(float label, const Names& names, std::span<const std::uint32_t> ids, std::span<const float> values);
  std::size_t num_rows() const { return block_.num_rows(); }
  std::size_t num_values() const { return values_.size(); }

  /// The block so far, but for its features, which each_row() visits.
  const RowBlock& block() const { return block_; }
  template <class Visit>
  void each_row(Visit visit) const {
    block_.each_row(values_.data(), ids_.data(), visit);
  }

  /// The block so far; the writer starts anew.
  RowBlock take();
  /// The same without the features of its rows, which have been used.
  RowBlock take_without_features();

 private:
  void add_features(std::span<const std::uint32_t> ids, std::span<const float> values);

  RowBlock block_;
  std::vector<float> values_;
  std::vector<std::uint32_t> ids_;
};

}  // namespace dorm

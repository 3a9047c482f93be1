// SPDX-License-Identifier: Apache-2.0
// From blocks of rows in input order to the storage of a Dataset: queries gathered, features dense or compressed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/packed_text.h"
#include "data/placed_rows.h"
#include "data/row_block.h"
#include "data/storage.h"
#include "dorm/data/input.h"

namespace dorm {

/// Which rows make up which query. Queries are in the order of their first row, rows of a query in input order.
struct Grouping {
  PackedText query_ids;
  std::vector<std::uint64_t> query_end;
  std::vector<std::uint64_t> source_rows;  // by document; empty when the input order is kept
  std::uint64_t merged_blocks = 0;         // blocks of rows that continue an earlier query
  std::string first_merged;                // the query of the first of them

  std::size_t num_queries() const { return query_end.size(); }
  std::uint64_t num_documents() const { return query_end.empty() ? 0 : query_end.back(); }
};

Grouping group_by_query_id(const std::vector<RowBlock>& blocks);
/// Queries of the given sizes, named 1, 2, ...
Grouping group_by_size(const std::vector<std::uint64_t>& sizes);

/// Share of nonzero values from which on features are stored dense.
inline constexpr double kDenseFill = 0.25;
inline bool worth_dense(double nonzeros, std::uint64_t rows, std::uint64_t features) {
  return nonzeros >= kDenseFill * static_cast<double>(rows) * static_cast<double>(features);
}

struct AssembleOptions {
  std::vector<double> query_weights;  // empty: all 1
  PackedText feature_names;           // empty: features are numbers, counted from 0 if some row names 0
  std::uint64_t num_features = 0;     // at least this many
  std::size_t threads = 1;
  InputDescription input = {};  // `means` of Missing::mean are filled in; given ones are used
  PlacedRows placed = {};       // the features of the first rows, which their blocks then lack
  std::optional<bool> dense;    // the form of the features; by their fill where it is not said
};

/// Frees the blocks while it copies them, so that little more than one copy of the features exists at any time. NaN
/// values become the mean of their column that `input` names, or else that of the other values, 0 if there are none.
/// Throws Error(bad_input) when there are more rows, queries or features than a Dataset can number.
std::shared_ptr<const Storage> assemble(std::vector<RowBlock> blocks, Grouping grouping, AssembleOptions options);

}  // namespace dorm

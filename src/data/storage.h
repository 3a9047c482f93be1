// SPDX-License-Identifier: Apache-2.0
// The block behind a Dataset. Every array is a span into memory that `owner` keeps alive: vectors of a reader, or a
// mapped file. Immutable once a Dataset holds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dorm/data/input.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {

/// Strings packed one after another: entry i is text[end[i-1], end[i]).
struct TextColumn {
  std::span<const std::uint64_t> end;
  std::span<const char> text;

  bool empty() const { return end.empty(); }
  std::size_t size() const { return end.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : end[i - 1];
    return {text.data() + begin, static_cast<std::size_t>(end[i] - begin)};
  }
};

/// Consecutive queries whose features are those of another set, perhaps a selection.
struct JoinedPart {
  Dataset data;
  std::uint64_t first_query = 0;  // of the whole
};

struct Storage {
  // Features. When dense, row i begins at values[i * stride]. Rows the library makes are 32-byte aligned and zero
  // padded to dense_stride(); borrowed ones need not be. Otherwise CSR.
  bool dense = true;
  std::uint64_t num_features = 0;
  std::uint64_t stride = 0;
  std::span<const float> values;           // dense rows, or the stored values of the CSR form
  std::span<const std::uint32_t> columns;  // CSR
  std::span<const std::uint64_t> row_end;  // CSR: row i is [row_end[i-1], row_end[i])

  // Or the features of other sets, one after another, query by query; then there are none above.
  std::span<const JoinedPart> parts;

  // What every row of a query has beside the values it stores, to be added to them; CSR only. Scaling moves the zeros
  // that are not stored: here they are said once. `background_end` is empty: none; one entry: the same for all queries;
  // else one per query.
  std::span<const std::uint32_t> background_columns;
  std::span<const float> background_values;
  std::span<const std::uint64_t> background_end;

  // Documents.
  std::span<const float> labels;
  bool labelled = true;                        // false: there were none, and all of `labels` are 0
  std::span<const std::uint64_t> source_rows;  // empty: the input order
  TextColumn document_ids;                     // empty: none
  std::span<const std::uint32_t> group_of;     // empty: none; 0 = no group, else 1 + index into group_names
  TextColumn group_names;

  // Queries: q holds documents [query_end[q-1], query_end[q]).
  std::span<const std::uint64_t> query_end;
  TextColumn query_ids;
  std::span<const double> query_weights;  // empty: all 1

  TextColumn feature_names;  // empty: numbers from first_feature_id
  std::uint32_t first_feature_id = 1;
  std::span<const std::uint32_t> feature_numbers;  // by column, less first_feature_id; empty: 0, 1, 2, ...
  std::uint64_t feature_range = 0;                 // numbers lie below this; meant only beside feature_numbers

  std::shared_ptr<const InputDescription> input = {};  // how it was read; nullptr: nothing to say

  std::shared_ptr<const void> owner;

  // Features in a mapped file: its name, and whether it has become shorter since. Lost features read as 0.
  std::string file = {};
  const std::atomic<bool>* lost = nullptr;
  std::string_view mapping = {};  // where the file lies
};

/// Of features in a mapped file: hardly anybody will read those of the queries [first, last) again. Their memory goes
/// back to the system; a later read gets them from the file once more.
void let_go(const Dataset& data, std::size_t first, std::size_t last);

/// The Error(io) about them.
Error lost_features(const std::string& file);

/// Row stride of the dense form, in floats: a multiple of 8, so that rows are 32-byte aligned.
constexpr std::uint64_t dense_stride(std::uint64_t num_features) { return (num_features + 7) / 8 * 8; }

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The unit of work of a comparison: one method with one setting on one split, trained on some of its queries, judged by
// every measure on validation and test data. Cells know nothing of each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/lab/comparison.h"
#include "lab/compare/cell_store.h"

namespace dorm {

/// What a method's options are tried at. Bound and start are those of DORM, the aim is a baseline's; else empty.
struct Setting {
  double C = 0;  // 0: the method has none
  std::string bound = {}, start = {}, aim = {};
  std::string text() const;  // "C=100 predicted/ridge", "C=10 rel=best"
};

/// The candidates of every method, by method, on data whose labels above 0 are `grades`, rising.
std::vector<std::vector<Setting>> candidates(const ComparisonOptions& options, const std::vector<float>& grades);

/// The labels above 0 that occur, rising.
std::vector<float> grades_above_zero(const Dataset& data);

/// Whether a method is one of tuned_catalog(), and whether its model has trees.
bool is_tuned(std::string_view method);
bool grows_trees(std::string_view method);

struct Cell {
  std::size_t split = 0, size = 0;
  std::string method;
  Setting setting;
  std::string key;  // everything the result depends on
};

/// Split by split, all methods before the next setting.
std::vector<Cell> make_cells(const std::vector<DataSplit>& splits, const ComparisonOptions& options);

/// Measures and curve, without repeats.
std::vector<std::string> all_measures(const ComparisonOptions& options);

/// The first `size` queries of a seeded shuffle, in their old order; all of them when size is 0.
Dataset training_part(const Dataset& data, std::size_t size, std::uint64_t seed);

/// The ten best of every query.
std::vector<Ranking> first_documents(const Dataset& data, std::span<const double> scores);

/// Nothing when the observer stopped it.
std::optional<CellRecord> run_cell(const Cell& cell, const DataSplit& split, const ComparisonOptions& options,
                                   const Observer& observer);

/// Whether a record can be that of a cell on this split.
bool record_fits(const CellRecord& record, const DataSplit& split, const ComparisonOptions& options);

/// Rows for all methods at all sizes, from the records of all cells.
ComparisonResult summarise(const std::vector<DataSplit>& splits, const ComparisonOptions& options,
                           const std::vector<Cell>& cells, const std::vector<CellRecord>& records);

}  // namespace dorm

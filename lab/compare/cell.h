// SPDX-License-Identifier: Apache-2.0
// The unit of work of a comparison: one method with one setting on one split, trained on some of its queries, judged by
// every measure on validation and test data. Cells know nothing of each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dorm/lab/comparison.h"

namespace dorm {

/// What a method's options are tried at. Bound and start are those of DORM; empty for others.
struct Setting {
  double C = 0;  // 0: the method has none
  std::string bound = {}, start = {};
  std::string text() const;  // "C=100 predicted/ridge"
};
std::vector<Setting> settings_of(const std::string& method, const std::vector<double>& C);

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

struct CellRecord {
  std::string key;
  std::string failure;  // a method that cannot learn from this data says why
  double seconds = 0, gap = 0, health = 0;
  std::uint64_t support_vectors = 0, passes = 0;
  // By measure, then query; NaN where the measure skips the query.
  std::vector<std::vector<double>> valid, test;
};

/// Nothing when the observer stopped it.
std::optional<CellRecord> run_cell(const Cell& cell, const DataSplit& split, const ComparisonOptions& options,
                                   const Observer& observer);

/// Records in a folder, one file each, named after its key.
class CellStore {
 public:
  explicit CellStore(std::string directory) : directory_(std::move(directory)) {}
  /// Nothing when there is none, or when it is damaged or of another key.
  std::optional<CellRecord> load(const std::string& key) const;
  void save(const CellRecord& record) const;

 private:
  std::string path(const std::string& key) const;
  std::string directory_;  // empty: nothing is kept
};

/// Rows for all methods at all sizes, from the records of all cells.
ComparisonResult summarise(const std::vector<DataSplit>& splits, const ComparisonOptions& options,
                           const std::vector<Cell>& cells, const std::vector<CellRecord>& records);

}  // namespace dorm

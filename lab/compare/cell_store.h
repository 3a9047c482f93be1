// SPDX-License-Identifier: Apache-2.0
// What a finished cell of an experiment has left, and the folder where it is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dorm/export.h"

namespace dorm {

struct CellRecord {
  std::string key;
  std::string failure;      // a method that cannot learn from this data says why
  std::string chosen = {};  // the spelling that the cell settled on; empty: nothing was left to choose
  double seconds = 0, gap = 0, explained_risk = 0;
  double tuning_seconds = 0;  // of a cell that chose by itself: all that it took
  std::uint64_t support_vectors = 0, passes = 0;
  // By measure, then query; NaN where the measure skips the query.
  std::vector<std::vector<double>> valid, test;
  std::vector<std::vector<std::uint32_t>> top = {};  // the first documents of every test query; none: not kept
  std::optional<ServingCost> serving = {};           // of the model; none: not measured
  std::vector<double> weights = {};                  // by column of the training data, at unit length; none: not kept
};

/// Records in a folder, one file each, named after its key.
class CellStore {
 public:
  explicit CellStore(std::string directory) : directory_(std::move(directory)) {}
  /// Nothing when there is none, or when it is damaged, has been edited or is of another key.
  std::optional<CellRecord> load(const std::string& key) const;
  void save(const CellRecord& record) const;

 private:
  std::string path(const std::string& key) const;
  std::string directory_;  // empty: nothing is kept
};

/// Whether a record's values can be these measures of `size` queries: a number or NaN for each, and none above the top
/// of its measure's scale.
bool values_fit(const std::vector<std::vector<double>>& values, std::span<const std::string> measures,
                const std::string& convention, std::size_t size);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The scores of all documents by some weights: kept, or made from kept ones where a query is visited.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "serve/explore/scaled_columns.h"

namespace dorm::explore {

/// What a weight has been moved by, and what it is multiplied with.
struct WeightChange {
  double by = 0;
  std::shared_ptr<const ScaledColumn> column;
};

class ScoreTable {
 public:
  explicit ScoreTable(std::vector<double> scores);

  /// `base` with the changes added, rounded to 2^-44 of the largest score there could be: what is equal stays equal.
  ScoreTable(std::shared_ptr<const ScoreTable> base, std::vector<WeightChange> changes);

  /// Those of the documents from `first` on.
  void load(std::size_t first, std::span<double> out) const;
  std::vector<double> load(std::size_t first, std::size_t count) const;
  std::vector<double> all() const;

  std::size_t size() const { return base_ ? base_->size() : scores_.size(); }
  double largest() const { return largest_; }  // no score is further from 0

 private:
  std::vector<double> scores_;
  std::shared_ptr<const ScoreTable> base_;
  std::vector<WeightChange> changes_;
  double largest_ = 0;
  double rounding_ = 0;  // added and subtracted again, it leaves multiples of the step
};

}  // namespace dorm::explore

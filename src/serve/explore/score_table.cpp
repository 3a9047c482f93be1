// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/score_table.h"

#include <algorithm>
#include <cmath>

namespace dorm::explore {

ScoreTable::ScoreTable(std::vector<double> scores) : scores_(std::move(scores)) {
  for (const double score : scores_) largest_ = std::max(largest_, std::fabs(score));
}

ScoreTable::ScoreTable(std::shared_ptr<const ScoreTable> base, std::vector<WeightChange> changes)
    : base_(std::move(base)), changes_(std::move(changes)), largest_(base_->largest()) {
  for (const WeightChange& change : changes_) largest_ += std::fabs(change.by) * change.column->largest;
  int exponent = 0;
  std::frexp(largest_, &exponent);                  // largest_ < 2^exponent
  rounding_ = std::ldexp(1.5, exponent - 44 + 52);  // its last bit is worth 2^(exponent - 44)
}

void ScoreTable::load(std::size_t first, std::span<double> out) const {
  if (!base_) {
    std::copy_n(scores_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    return;
  }
  base_->load(first, out);
  for (const WeightChange& change : changes_) {
    const double* const column = change.column->values.data() + first;
    const double by = change.by;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += by * column[i];
  }
  const double rounding = rounding_;
  for (double& score : out) score = (score + rounding) - rounding;
}

std::vector<double> ScoreTable::load(std::size_t first, std::size_t count) const {
  std::vector<double> out(count);
  load(first, out);
  return out;
}

std::vector<double> ScoreTable::all() const { return base_ ? load(0, size()) : scores_; }

}  // namespace dorm::explore

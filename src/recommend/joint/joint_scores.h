// SPDX-License-Identifier: Apache-2.0
// Scores of many users by one ranker.
#pragma once

#include <span>
#include <vector>

#include "dorm/recommend/joint.h"

namespace dorm {

/// B = A K_I, made once: a row of scores for every user who has coefficients.
class ItemScores {
 public:
  ItemScores(const Similarities& items, const JointRanker& ranker);

  /// out[i] += score of item wanted[i] for one who is alike to every user as said.
  void add(std::span<const double> alike, std::span<const std::uint32_t> wanted, std::span<double> out) const;

 private:
  std::size_t num_items_;
  std::vector<std::uint32_t> users_;  // with coefficients
  std::vector<double> values_;
};

}  // namespace dorm

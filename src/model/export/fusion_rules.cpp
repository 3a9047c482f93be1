// SPDX-License-Identifier: Apache-2.0
// What engines make of the scores of a list before they add them up.
#include "model/export/fusion_rules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/numeric.h"

namespace dorm {
namespace {

struct Ends {
  double low, high;
};

Ends ends_of(std::span<const double> scores) {
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  return {*low, *high};
}

}  // namespace

ColumnRule min_max_rule(double least, std::optional<double> alike) {
  return [=](std::span<double> scores, std::size_t) {
    const Ends ends = ends_of(scores);
    for (double& x : scores) {
      const double scaled = (x - ends.low) / (ends.high - ends.low);
      x = ends.high > ends.low ? std::max(least, scaled) : alike.value_or(ends.low);
    }
    return 0.0;
  };
}

ColumnRule rank_rule() {
  return [](std::span<double> scores, std::size_t) {
    const std::vector<std::size_t> rank = ranks_of_scores(scores);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 1 / (kRankConstant + real(rank[i]));
    return 0.0;
  };
}

ColumnRule as_they_are(std::vector<double> absent) {
  return [absent = std::move(absent)](std::span<double>, std::size_t column) { return absent[column]; };
}

double arctan_scaled(double score, bool cosine) {
  return cosine ? (1 + score) / 2 : 2 * std::atan(score) / std::numbers::pi;
}

ColumnRule arctan_rule(std::vector<bool> cosine) {
  return [cosine = std::move(cosine)](std::span<double> scores, std::size_t column) {
    for (double& x : scores) x = arctan_scaled(x, cosine[column]);
    return 0.0;
  };
}

}  // namespace dorm

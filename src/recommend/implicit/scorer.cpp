// SPDX-License-Identifier: Apache-2.0
#include "recommend/implicit/scorer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

constexpr std::size_t kSpreadUsers = 500;

}  // namespace

void ImplicitScorer::fill(std::span<const double> factors, std::span<const std::uint32_t> seen,
                          std::span<double> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0);
  if (ease_weight != 0) {
    for (const std::uint32_t item : seen) {
      const float* const row = ease.data() + item * scores.size();
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += static_cast<double>(row[i]);
    }
    for (double& score : scores) score *= ease_weight;
  }
  if (als_weight != 0)
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += als_weight * dot(factors, items.row(i));
}

double spread_of(const ImplicitScorer& scorer, const Ratings& events, ThreadPool& pool) {
  std::vector<std::size_t> with_events, sample;
  for (std::size_t u = 0; u < events.num_users(); ++u)
    if (events.of_user(u).size() > 0) with_events.push_back(u);
  const std::size_t step = with_events.size() / kSpreadUsers + 1;
  for (std::size_t k = 0; k < with_events.size(); k += step) sample.push_back(with_events[k]);
  std::vector<double> squares(sample.size());
  pool.run(sample.size(), [&](std::size_t k, std::size_t) {
    std::vector<double> scores(events.num_items());
    scorer.fill(sample[k], events.of_user(sample[k]).index, scores);
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / real(scores.size());
    for (const double score : scores) squares[k] += (score - mean) * (score - mean);
  });
  const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
  return std::sqrt(sum / real(std::max<std::size_t>(1, sample.size() * events.num_items())));
}

}  // namespace dorm

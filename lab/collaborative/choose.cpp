// SPDX-License-Identifier: Apache-2.0
// A parameter by held-out training ratings. Many ratings of half of the users: with few per list the measure is near 1
// whatever the method does, and too weak a regularisation wins.
#include <numeric>

#include "base/rng.h"
#include "dorm/evaluate.h"
#include "dorm/lab/collaborative.h"

namespace dorm {
namespace {

constexpr double kHeldOut = 0.6;

struct Holdout {
  Ratings train, valid;
};

Holdout hold_out(const Ratings& ratings, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<char> held(ratings.size(), 0);
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const std::size_t size = ratings.of_user(u).size();
    if (rng.uniform() < 0.5 || size < 2) continue;
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), ratings.first_of_user(u));
    rng.shuffle(std::span(order));
    const auto count = static_cast<std::size_t>(kHeldOut * static_cast<double>(size));
    for (std::size_t i = 0; i < count; ++i) held[order[i]] = 1;
  }
  return {ratings.filtered([&](std::size_t at) { return !held[at]; }),
          ratings.filtered([&](std::size_t at) { return held[at] != 0; })};
}

}  // namespace

std::string choose_collaborative(std::string_view method, const Ratings& train, const CollaborativeInputs& inputs,
                                 const CollaborativeOptions& options) {
  const std::vector<std::string> grid = collaborative_grid(method);
  if (grid.size() == 1) return grid.front();
  const Holdout holdout = hold_out(train, options.seed);
  const std::vector<std::string> measures = {options.measure};
  std::string best = grid.front();
  double best_value = -1;
  for (const std::string& candidate : grid) {
    const std::vector<double> scores = collaborative_scores(candidate, holdout.train, holdout.valid, inputs, options);
    const EvaluationTable table =
        evaluate(holdout.valid, scores, measures, {.bootstrap = 0, .threads = options.threads});
    if (table.measures[0].mean <= best_value) continue;
    best = candidate;
    best_value = table.measures[0].mean;
  }
  return best;
}

}  // namespace dorm

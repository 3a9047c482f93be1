// SPDX-License-Identifier: Apache-2.0
// On tiny lists a half step is a quadratic program over all rankings, which can be written down and solved by another
// method: the answers must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/ranking/list_problem.h"
#include "recommend/factor/item_step.h"
#include "recommend/factor/user_step.h"
#include "support/case_name.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::tasteful_ratings;

// A plane of one block in the coordinates of the unknown: H >= offset - <direction, x>.
struct DensePlane {
  double offset;
  std::vector<double> direction;
};

double inner(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

// The minimum of sum_b max_k (offset - <direction, x>) + lambda/2 |x|^2, by moving dual weight between the best and the
// worst plane of a block until nothing changes.
double solve_by_enumeration(const std::vector<std::vector<DensePlane>>& blocks, double lambda) {
  std::vector<double> x(blocks[0][0].direction.size(), 0.0);
  std::vector<std::vector<double>> alpha;
  for (const auto& block : blocks) {
    alpha.emplace_back(block.size(), 0.0);
    alpha.back()[0] = 1;
    for (std::size_t c = 0; c < x.size(); ++c) x[c] += block[0].direction[c] / lambda;
  }
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto value = [&](const DensePlane& plane) { return plane.offset - inner(plane.direction, x); };
      std::size_t best = 0, worst = blocks[b].size();
      for (std::size_t k = 0; k < blocks[b].size(); ++k) {
        if (value(blocks[b][k]) > value(blocks[b][best])) best = k;
        if (alpha[b][k] > 0 && (worst == blocks[b].size() || value(blocks[b][k]) < value(blocks[b][worst]))) worst = k;
      }
      if (best == worst) continue;
      std::vector<double> difference(x.size());
      for (std::size_t c = 0; c < x.size(); ++c)
        difference[c] = blocks[b][best].direction[c] - blocks[b][worst].direction[c];
      const double slope = value(blocks[b][best]) - value(blocks[b][worst]);
      const double curvature = inner(difference, difference) / lambda;
      const double step = curvature > 0 ? std::min(alpha[b][worst], slope / curvature) : alpha[b][worst];
      alpha[b][best] += step;
      alpha[b][worst] -= step;
      for (std::size_t c = 0; c < x.size(); ++c) x[c] += step * difference[c] / lambda;
      moved += step * slope;
    }
    if (moved < 1e-13) break;
  }
  double objective = 0.5 * lambda * inner(x, x);
  for (const auto& block : blocks) {
    double highest = -INFINITY;
    for (const DensePlane& plane : block) highest = std::max(highest, plane.offset - inner(plane.direction, x));
    objective += highest;
  }
  return objective;
}

// Every ranking of a list: its loss and z0 - c[position].
std::vector<ScorePlane> all_planes(const RankingLists::List& list) {
  std::vector<std::uint32_t> position(list.problem.query().size());
  std::iota(position.begin(), position.end(), 0u);
  std::vector<ScorePlane> planes;
  do {
    ScorePlane plane;
    plane.loss = list.problem.query().ideal;
    for (std::size_t i = 0; i < position.size(); ++i) {
      plane.loss -= list.problem.query().tables->a[position[i]] * list.problem.query().b[i];
      plane.delta.push_back(list.problem.reference()[i] - list.problem.query().tables->c[position[i]]);
    }
    planes.push_back(plane);
  } while (std::next_permutation(position.begin(), position.end()));
  return planes;
}

struct Problem {
  Ratings ratings;
  FactorizeOptions options;
  FactorModel model;
};

Problem tiny_problem(const std::string& bound, std::uint64_t seed, double lambda) {
  Problem problem{tasteful_ratings(6, 7, 4, seed), {}, {}};
  problem.options.bound = bound;
  problem.options.rank = 2;
  problem.options.lambda = lambda;
  problem.options.measure = "ndcg@3";
  problem.options.decay = "measure+tail";
  problem.options.tolerance = 1e-7;
  problem.options.rounds = 0;
  problem.options.start_lambda = 1;
  problem.options.threads = 1;
  problem.model = factorize(problem.ratings, problem.options).model;
  return problem;
}

double scored(const Problem& p, std::uint32_t user, std::uint32_t item) {
  double sum = p.model.offsets[item];
  for (std::size_t c = 0; c < p.model.layout.width(); ++c)
    sum += p.model.user_factors.row(user)[c] * p.model.item_factors.row(item)[c];
  return sum;
}

class HalfSteps : public testing::TestWithParam<std::tuple<std::string, std::uint64_t, double>> {};

TEST_P(HalfSteps, OfUsersEqualsTheEnumeratedProgram) {
  const auto& [bound, seed, lambda] = GetParam();
  Problem p = tiny_problem(bound, seed, lambda);
  ThreadPool pool(1);
  RankingLists lists(p.ratings, p.options, pool);
  ASSERT_GT(lists.size(), 2u);
  const std::size_t width = p.model.layout.user_width();
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const std::uint32_t user = lists[l].user;
    std::vector<double> row(p.model.user_factors.row(user).begin(), p.model.user_factors.row(user).end());
    const std::vector<double> centre(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(width));
    const UserStepResult result =
        UserStep(lambda, 1e-9).solve(lists, l, p.model.item_factors, p.model.offsets, centre, row);
    std::vector<std::vector<DensePlane>> blocks(1);
    for (const ScorePlane& plane : all_planes(lists[l])) {
      DensePlane dense{plane.loss, std::vector<double>(width, 0.0)};
      for (std::size_t i = 0; i < plane.delta.size(); ++i) {
        const std::uint32_t item = lists.row(l).index[i];
        dense.offset -= plane.delta[i] * scored(p, user, item);
        for (std::size_t c = 0; c < width; ++c)
          dense.direction[c] += plane.delta[i] * p.model.item_factors.row(item)[c];
      }
      blocks[0].push_back(dense);
    }
    const double truth = solve_by_enumeration(blocks, lambda);
    EXPECT_NEAR(result.after, truth, 1e-6 * std::max(1.0, truth));
    EXPECT_LE(result.dual, truth + 1e-6 * std::max(1.0, truth));
    EXPECT_LE(result.after, result.before);
  }
}

TEST_P(HalfSteps, OfItemsEqualsTheEnumeratedProgram) {
  const auto& [bound, seed, lambda] = GetParam();
  Problem p = tiny_problem(bound, seed, lambda);
  ThreadPool pool(2);
  RankingLists lists(p.ratings, p.options, pool);
  const FactorLayout& layout = p.model.layout;
  FactorMatrix items = p.model.item_factors;
  ItemStep step(lists, {layout, lambda, 1e-7, 3000, 1}, pool);
  const ItemStepResult result =
      step.solve(p.model.user_factors, p.model.offsets, p.model.item_factors, items, [](double) { return true; });
  const std::size_t width = layout.item_width(), begin = layout.item_begin();
  std::vector<std::vector<DensePlane>> blocks;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    blocks.emplace_back();
    const auto user = p.model.user_factors.row(lists[l].user);
    for (const ScorePlane& plane : all_planes(lists[l])) {
      DensePlane dense{plane.loss, std::vector<double>(p.ratings.num_items() * width, 0.0)};
      for (std::size_t i = 0; i < plane.delta.size(); ++i) {
        const std::uint32_t item = lists.row(l).index[i];
        dense.offset -= plane.delta[i] * scored(p, lists[l].user, item);
        for (std::size_t c = 0; c < width; ++c) dense.direction[item * width + c] += plane.delta[i] * user[begin + c];
      }
      blocks.back().push_back(dense);
    }
  }
  const double truth = solve_by_enumeration(blocks, lambda);
  EXPECT_NEAR(result.after, truth, 1e-5 * truth);
  EXPECT_NEAR(result.dual, truth, 1e-5 * truth);
  EXPECT_LT(result.after, result.before);
}

INSTANTIATE_TEST_SUITE_P(Bounds, HalfSteps,
                         testing::Combine(testing::Values("given", "average", "best", "predicted"),
                                          testing::Values(1, 2), testing::Values(0.5, 12.0)),
                         test::case_name);

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Gradients of the objective in U and V against finite differences: of the bound itself where it is smooth, and of a
// smoothed bound, the log-sum-exp over all rankings, whose gradient tends to that of the planes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/ranking/list_problem.h"
#include "recommend/factor/ranking_lists.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::tasteful_ratings;

struct Fixture {
  Ratings ratings = tasteful_ratings(5, 6, 5, 4);
  FactorizeOptions options;
  FactorModel model;
  ThreadPool pool{1};

  Fixture() {
    options.rank = 3;
    options.measure = "ndcg@2";
    options.decay = "power:0.5";
    options.rounds = 0;
    options.start_lambda = 0.5;
    options.threads = 1;
    model = factorize(ratings, options).model;
  }
};

std::vector<double> scores_of(const RankingLists& lists, std::size_t l, const FactorModel& model) {
  std::vector<double> scores(lists.row(l).size());
  score_items(lists.row(l).index, model.user_factors.row(lists[l].user), model.item_factors, model.offsets, scores);
  return scores;
}

// sigma log sum over rankings of exp((loss + <c, s>) / sigma) - <z0, s>, and its gradient in the scores.
double smoothed(const RankingLists::List& list, const std::vector<double>& scores, double sigma,
                std::vector<double>& gradient) {
  std::vector<std::uint32_t> position(scores.size());
  std::iota(position.begin(), position.end(), 0u);
  std::vector<double> exponents;
  std::vector<std::vector<double>> coefficients;
  do {
    double exponent = list.problem.query().ideal;
    std::vector<double> c(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      c[i] = list.problem.query().tables->c[position[i]];
      exponent += c[i] * scores[i] - list.problem.query().tables->a[position[i]] * list.problem.query().b[i];
    }
    exponents.push_back(exponent / sigma);
    coefficients.push_back(c);
  } while (std::next_permutation(position.begin(), position.end()));
  const double top = *std::max_element(exponents.begin(), exponents.end());
  double sum = 0;
  gradient.assign(scores.size(), 0.0);
  for (std::size_t k = 0; k < exponents.size(); ++k) sum += std::exp(exponents[k] - top);
  for (std::size_t k = 0; k < exponents.size(); ++k)
    for (std::size_t i = 0; i < scores.size(); ++i)
      gradient[i] += std::exp(exponents[k] - top) / sum * coefficients[k][i];
  double value = sigma * (top + std::log(sum));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    value -= list.problem.reference()[i] * scores[i];
    gradient[i] -= list.problem.reference()[i];
  }
  return value;
}

// The gradient in the scores of one list, by the library's plane.
std::vector<double> plane_gradient(const RankingLists& lists, std::size_t l, const std::vector<double>& scores,
                                   double* value) {
  ListWorkspace workspace;
  ScorePlane plane;
  lists.separate(l, scores, plane, workspace);
  *value = plane.value;
  for (double& x : plane.delta) x = -x;
  return plane.delta;
}

using Bound = std::function<double(const FactorModel&, FactorMatrix* by_user, FactorMatrix* by_item)>;

// Every entry of both gradients against a central difference.
void check_gradients(FactorModel model, const Bound& bound, double tolerance) {
  FactorMatrix by_user(model.user_factors.rows, model.user_factors.width);
  FactorMatrix by_item(model.item_factors.rows, model.item_factors.width);
  bound(model, &by_user, &by_item);
  constexpr double kStep = 1e-6;
  const auto compare = [&](std::vector<double>& parameters, const std::vector<double>& gradient) {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const double kept = parameters[p];
      parameters[p] = kept + kStep;
      const double up = bound(model, nullptr, nullptr);
      parameters[p] = kept - kStep;
      const double down = bound(model, nullptr, nullptr);
      parameters[p] = kept;
      EXPECT_NEAR(gradient[p], (up - down) / (2 * kStep), tolerance) << p;
    }
  };
  compare(model.user_factors.values, by_user.values);
  compare(model.item_factors.values, by_item.values);
}

void pull_back(const RankingLists& lists, std::size_t l, const FactorModel& model, const std::vector<double>& gradient,
               FactorMatrix* by_user, FactorMatrix* by_item) {
  if (by_user == nullptr) return;
  const std::uint32_t user = lists[l].user;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const std::uint32_t item = lists.row(l).index[i];
    for (std::size_t c = 0; c < by_user->width; ++c) {
      by_user->row(user)[c] += gradient[i] * model.item_factors.row(item)[c];
      by_item->row(item)[c] += gradient[i] * model.user_factors.row(user)[c];
    }
  }
}

TEST(Gradient, OfTheBoundIsThatOfItsPlane) {
  Fixture f;
  const RankingLists lists(f.ratings, f.options, f.pool);
  check_gradients(
      f.model,
      [&](const FactorModel& model, FactorMatrix* by_user, FactorMatrix* by_item) {
        double total = 0;
        for (std::size_t l = 0; l < lists.size(); ++l) {
          double value = 0;
          const auto gradient = plane_gradient(lists, l, scores_of(lists, l, model), &value);
          total += value;
          pull_back(lists, l, model, gradient, by_user, by_item);
        }
        return total;
      },
      1e-5);
}

TEST(Gradient, OfTheSmoothedBoundAgreesWithDifferencesAndTendsToThePlane) {
  Fixture f;
  const RankingLists lists(f.ratings, f.options, f.pool);
  const auto at = [&](double sigma) {
    return [&lists, sigma](const FactorModel& model, FactorMatrix* by_user, FactorMatrix* by_item) {
      double total = 0;
      std::vector<double> gradient;
      for (std::size_t l = 0; l < lists.size(); ++l) {
        total += smoothed(lists[l], scores_of(lists, l, model), sigma, gradient);
        pull_back(lists, l, model, gradient, by_user, by_item);
      }
      return total;
    };
  };
  check_gradients(f.model, at(0.3), 1e-5);
  std::vector<double> gradient;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    double value = 0;
    const auto scores = scores_of(lists, l, f.model);
    const auto sharp = plane_gradient(lists, l, scores, &value);
    EXPECT_NEAR(smoothed(lists[l], scores, 1e-4, gradient), value, 1e-3);
    for (std::size_t i = 0; i < sharp.size(); ++i) EXPECT_NEAR(gradient[i], sharp[i], 1e-3);
  }
}

}  // namespace
}  // namespace dorm

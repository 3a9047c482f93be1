// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "dorm/error.h"
#include "support/message_of.h"

namespace dorm {
namespace {

enum class Costs { uniform, integers, constant, rank_two };

std::vector<double> random_matrix(Costs costs, std::size_t rows, std::size_t columns, Rng& rng) {
  std::vector<double> m(rows * columns), x(rows), y(rows);
  for (std::size_t i = 0; i < rows; ++i) x[i] = rng.uniform() - 0.5, y[i] = rng.uniform();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double rank = static_cast<double>(j) + 2;
      double& entry = m[i * columns + j];
      switch (costs) {
        case Costs::uniform:
          entry = rng.uniform() * 20 - 10;
          break;
        case Costs::integers:
          entry = static_cast<double>(rng.below(4));
          break;
        case Costs::constant:
          entry = 3;
          break;
        case Costs::rank_two:
          entry = x[i] / std::sqrt(rank) - y[i] / std::log2(rank);
          break;
      }
    }
  }
  return m;
}

// All injective maps of the shorter side.
double enumerate(const std::vector<double>& m, std::size_t rows, std::size_t columns, Sense sense) {
  std::vector<std::size_t> order(std::max(rows, columns));
  std::iota(order.begin(), order.end(), 0u);
  const double sign = sense == Sense::maximize ? -1 : 1;
  double best = std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (std::size_t k = 0; k < std::min(rows, columns); ++k) {
      sum += sign * (rows <= columns ? m[k * columns + order[k]] : m[order[k] * columns + k]);
    }
    best = std::min(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return sign * best;
}

// The duals prove the value, whatever the size.
void expect_certified(const std::vector<double>& m, std::size_t rows, std::size_t columns, Sense sense) {
  const Assignment out = assign(m, rows, columns, sense);
  const double sign = sense == Sense::maximize ? -1 : 1;
  std::vector<bool> used(columns, false);
  double primal = 0, dual = 0;
  std::size_t matched = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    dual += out.row_dual[i];
    for (std::size_t j = 0; j < columns; ++j) {
      EXPECT_GE(sign * (m[i * columns + j] - out.row_dual[i] - out.column_dual[j]), -1e-10);
    }
    if (out.column_of_row[i] == kUnassigned) {
      EXPECT_EQ(out.row_dual[i], 0);
      continue;
    }
    ++matched;
    primal += m[i * columns + out.column_of_row[i]];
    EXPECT_FALSE(used[out.column_of_row[i]]);
    used[out.column_of_row[i]] = true;
  }
  for (std::size_t j = 0; j < columns; ++j) {
    dual += out.column_dual[j];
    if (!used[j]) {
      EXPECT_EQ(out.column_dual[j], 0);
    }
    if (columns > rows) {
      EXPECT_LE(sign * out.column_dual[j], 0);
    }
  }
  EXPECT_EQ(matched, std::min(rows, columns));
  EXPECT_NEAR(primal, out.value, 1e-10);
  EXPECT_NEAR(primal, dual, 1e-9);
}

TEST(Assignment, EqualsEnumerationAndIsCertified) {
  Rng rng(5);
  for (Costs costs : {Costs::uniform, Costs::integers, Costs::constant, Costs::rank_two}) {
    for (int k = 0; k < 300; ++k) {
      const std::size_t rows = 1 + rng.below(6), columns = 1 + rng.below(6);
      const std::vector<double> m = random_matrix(costs, rows, columns, rng);
      for (Sense sense : {Sense::minimize, Sense::maximize}) {
        EXPECT_NEAR(assign(m, rows, columns, sense).value, enumerate(m, rows, columns, sense), 1e-10);
        expect_certified(m, rows, columns, sense);
      }
    }
  }
}

TEST(Assignment, IsCertifiedOnLargeMatrices) {
  Rng rng(6);
  for (Costs costs : {Costs::uniform, Costs::integers, Costs::constant, Costs::rank_two}) {
    for (auto [rows, columns] : {std::pair{150, 150}, {40, 200}, {200, 40}}) {
      const std::size_t r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
      expect_certified(random_matrix(costs, r, c, rng), r, c, Sense::minimize);
      expect_certified(random_matrix(costs, r, c, rng), r, c, Sense::maximize);
    }
  }
}

std::string message_of(const std::vector<double>& m, std::size_t rows, std::size_t columns) {
  return test::message_of([&] { assign(m, rows, columns); }, ErrorCode::bad_input);
}

TEST(Assignment, RefusesBadMatrices) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of({}, 0, 3), "assignment of an empty 0 x 3 matrix");
  EXPECT_EQ(message_of({}, 3, 0), "assignment of an empty 3 x 0 matrix");
  EXPECT_EQ(message_of({1, 2, 3}, 2, 2), "assignment: 3 entries given for a 2 x 2 matrix");
  EXPECT_EQ(message_of({1, 2, nan, 4}, 2, 2), "assignment: entry (1, 0) is nan; expected a finite number");
  EXPECT_EQ(message_of({1, -inf}, 1, 2), "assignment: entry (0, 1) is -inf; expected a finite number");
}

TEST(Assignment, EntriesWhoseSumsOverflowAreRefused) {
  const std::vector<double> cost = {1e308, -1e308, -1e308, 1e308};
  EXPECT_NE(test::message_of([&] { assign(cost, 2, 2); }, ErrorCode::bad_input).find("so that sums are finite"),
            std::string::npos);
  const std::vector<double> large = {1e300, -1e300, -1e300, 1e300};
  EXPECT_EQ(assign(large, 2, 2).value, -2e300);
}

}  // namespace
}  // namespace dorm

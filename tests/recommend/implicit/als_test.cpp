// SPDX-License-Identifier: Apache-2.0
// Implicit ALS and EASE against dense problems solved by elimination.
#include "recommend/implicit/als.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "base/rng.h"
#include "base/vector/cpu.h"
#include "dorm/error.h"
#include "recommend/implicit/ease.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using Dense = std::vector<std::vector<double>>;

// Gauss with partial pivoting: x of A x = b.
std::vector<double> solved(Dense a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

Ratings plays(std::uint32_t users, std::uint32_t items, std::uint32_t per_user, std::uint64_t seed) {
  return test::tasteful_ratings(users, items, per_user, seed);
}

// The normal equations over every item, zeros included.
std::vector<double> dense_row(const FactorMatrix& fixed, const AlsOptions& o, const RatingRow& row) {
  const std::size_t f = fixed.width;
  std::vector<double> weight(fixed.rows, 0.0), b(f, 0.0);
  for (std::size_t k = 0; k < row.size(); ++k) weight[row.index[k]] = static_cast<double>(row.value[k]);
  Dense a(f, std::vector<double>(f, 0.0));
  for (std::size_t i = 0; i < fixed.rows; ++i) {
    const double confidence = 1 + o.alpha * weight[i];
    for (std::size_t s = 0; s < f; ++s) {
      for (std::size_t t = 0; t < f; ++t) a[s][t] += confidence * fixed.row(i)[s] * fixed.row(i)[t];
      if (weight[i] > 0) b[s] += confidence * fixed.row(i)[s];
    }
  }
  for (std::size_t s = 0; s < f; ++s) a[s][s] += o.ridge;
  return solved(a, b);
}

// The weighted squared loss over all cells, zeros included.
double dense_loss(const Ratings& events, const AlsOptions& o, const FactorMatrix& users, const FactorMatrix& items) {
  double loss = 0;
  for (const double x : users.values) loss += o.ridge * x * x;
  for (const double x : items.values) loss += o.ridge * x * x;
  for (std::size_t u = 0; u < users.rows; ++u) {
    std::vector<double> weight(items.rows, 0.0);
    const RatingRow row = events.of_user(u);
    for (std::size_t k = 0; k < row.size(); ++k) weight[row.index[k]] = static_cast<double>(row.value[k]);
    for (std::size_t i = 0; i < items.rows; ++i) {
      double score = 0;
      for (std::size_t s = 0; s < o.factors; ++s) score += users.row(u)[s] * items.row(i)[s];
      const double error = (weight[i] > 0 ? 1 : 0) - score;
      loss += (1 + o.alpha * weight[i]) * error * error;
    }
  }
  return loss;
}

TEST(ImplicitAls, StepsEqualADenseReference) {
  const Ratings events = plays(40, 25, 8, 1);
  const AlsOptions options{.factors = 5, .iterations = 1, .ridge = 2, .alpha = 3};
  ThreadPool pool(2);
  Als als(events, options, pool);
  for (int k = 0; k < 3; ++k) {
    const FactorMatrix users_before = als.users();
    ASSERT_TRUE(als.iterate({}));
    for (std::size_t i = 0; k > 0 && i < events.num_items(); ++i) {
      const std::vector<double> expected = dense_row(users_before, options, events.of_item(i));
      for (std::size_t s = 0; s < 5; ++s) ASSERT_NEAR(als.items().row(i)[s], expected[s], 1e-6) << i;
    }
    for (std::size_t u = 0; u < events.num_users(); ++u) {
      const std::vector<double> expected = dense_row(als.items(), options, events.of_user(u));
      for (std::size_t s = 0; s < 5; ++s) ASSERT_NEAR(als.users().row(u)[s], expected[s], 1e-6) << u;
    }
  }
}

TEST(ImplicitAls, EachIterationLowersTheLossOverAllCells) {
  const Ratings events = plays(30, 20, 6, 2);
  const AlsOptions options{.factors = 4, .iterations = 1, .ridge = 1, .alpha = 5};
  ThreadPool pool(1);
  Als als(events, options, pool);
  ASSERT_TRUE(als.iterate({}));
  double before = dense_loss(events, options, als.users(), als.items());
  for (int k = 0; k < 6; ++k) {
    ASSERT_TRUE(als.iterate({}));
    const double after = dense_loss(events, options, als.users(), als.items());
    EXPECT_LT(after, before);
    before = after;
  }
}

TEST(ImplicitAls, HasTheSameBitsOnAnyNumberOfThreads) {
  const Ratings events = plays(3000, 90, 12, 3);  // several pieces of the Gram matrix
  const AlsOptions options{.factors = 8};
  const auto factors = [&](std::size_t threads) {
    ThreadPool pool(threads);
    Als als(events, options, pool);
    als.iterate({});
    return std::pair(als.users(), als.items());
  };
  EXPECT_EQ(factors(1), factors(3));
}

// A stop at every place where one is asked for, until an iteration is over.
TEST(ImplicitAls, AStopLeavesUsersThatFitTheItems) {
  const Ratings events = plays(40, 25, 8, 4);
  const AlsOptions options{.factors = 3, .ridge = 2, .alpha = 3};
  ThreadPool pool(1);
  for (int last = 1; last < 20; ++last) {
    Als als(events, options, pool);
    int calls = 0;
    if (als.iterate([&] { return ++calls >= last; })) {
      EXPECT_EQ(last, 7);  // three solutions, with two places each
      return;
    }
    EXPECT_EQ(calls, last);
    EXPECT_EQ(als.started(), last > 2);
    for (std::size_t u = 0; als.started() && u < events.num_users(); ++u) {
      const std::vector<double> expected = dense_row(als.items(), options, events.of_user(u));
      for (std::size_t s = 0; s < 3; ++s) ASSERT_NEAR(als.users().row(u)[s], expected[s], 1e-6);
    }
  }
  FAIL() << "no iteration came to its end";
}

FactorMatrix random_rows(std::size_t rows, std::size_t width, double size) {
  FactorMatrix out(rows, width);
  Rng rng(7);
  for (double& x : out.values) x = static_cast<double>(static_cast<float>(size * (2 * rng.uniform() - 1)));
  return out;
}

double distance_of(std::span<const double> x, std::span<const double> y) {
  double square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) square += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(square);
}

// Up to 200 events a row: several blocks of them, and numbers of factors that fill no block. Where the ridge is next to
// nothing and there are fewer items than factors, single precision fails.
TEST(ImplicitAls, RowsEqualADenseReferenceWithManyFactorsAndWithHardlyARidge) {
  const Ratings events = plays(30, 200, 150, 5);
  ThreadPool pool(1);
  for (const std::size_t factors : {1u, 31u, 64u, 65u, 128u})
    for (const double ridge : {10.0, 0.01, 1e-9}) {
      const AlsOptions options{.factors = factors, .ridge = ridge, .alpha = 40};
      const FactorMatrix fixed = random_rows(events.num_items(), factors, 1);
      const AlsSide side(fixed, options, pool);
      std::vector<double> row(factors);
      for (const std::size_t user : {0u, 17u}) {
        AlsRow().solve(side, events.of_user(user), row);
        const std::vector<double> expected = dense_row(fixed, options, events.of_user(user));
        EXPECT_LE(distance_of(row, expected), 1e-7 * distance_of(expected, std::vector<double>(factors)))
            << factors << ' ' << ridge << ' ' << user;
      }
    }
}

TEST(ImplicitAls, EveryInstructionSetGivesTheSameBits) {
  const Ratings events = plays(30, 200, 150, 6);
  const RatingRow row = events.of_user(3);
  for (const std::size_t factors : {5u, 64u, 100u}) {
    const std::size_t stride = als_stride(factors);
    std::vector<float> fixed(events.num_items() * stride);
    Rng rng(8);
    for (std::size_t i = 0; i < fixed.size(); ++i)
      if (i % stride < factors) fixed[i] = static_cast<float>(rng.uniform() - 0.5);
    const AlsEvents given = {fixed.data(), factors, row.index.data(), row.value.data(), row.size(), 3.0};
    const auto all = [&](SimdLevel level) {
      const AlsKernels& kernels = als_kernels(level);
      std::vector<float> gathered(kAlsGathered * stride), matrix(stride * stride), inverse(stride), half(stride),
          x(stride);
      for (std::size_t i = 0; i < factors; ++i) matrix[i * stride + i] = 2;
      kernels.add_products(given, gathered.data(), matrix.data());
      EXPECT_TRUE(kernels.decompose(matrix.data(), factors, inverse.data()));
      std::vector<double> sums(stride);
      kernels.add_targets(given, sums.data());
      for (std::size_t i = 0; i < factors; ++i) x[i] = static_cast<float>(sums[i]);
      kernels.solve(matrix.data(), inverse.data(), factors, half.data(), x.data());
      kernels.subtract_products(given, std::vector<double>(x.begin(), x.end()).data(), sums.data());
      x.resize(factors);
      sums.resize(factors);
      return std::pair(x, sums);
    };
    const auto expected = all(SimdLevel::portable);
    for (const SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512})
      if (level <= choose_simd_level(nullptr)) {
        EXPECT_EQ(all(level), expected) << factors;
      }
  }
}

// P by elimination, column by column.
TEST(Ease, EqualsItsClosedForm) {
  const Ratings events = plays(400, 300, 20, 5);  // three blocks of the decomposition
  const std::size_t n = events.num_items();
  constexpr double kRidge = 7;
  Dense gram(n, std::vector<double>(n, 0.0));
  for (std::size_t u = 0; u < events.num_users(); ++u)
    for (const std::uint32_t i : events.of_user(u).index)
      for (const std::uint32_t j : events.of_user(u).index) ++gram[i][j];
  for (std::size_t i = 0; i < n; ++i) gram[i][i] += kRidge;
  ThreadPool one(1), three(3);
  const auto b = fit_ease(events, kRidge, one);
  ASSERT_TRUE(b);
  EXPECT_EQ(*b, *fit_ease(events, kRidge, three));
  for (const std::size_t i : {std::size_t{0}, std::size_t{127}, std::size_t{128}, std::size_t{299}}) {
    std::vector<double> unit(n, 0.0);
    unit[i] = 1;
    const std::vector<double> p = solved(gram, unit);
    for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR((*b)[j * n + i], i == j ? 0 : -p[j] / p[i], 1e-6);
  }
}

TEST(Ease, EndsWhenItIsStopped) {
  ThreadPool pool(1);
  EXPECT_FALSE(fit_ease(plays(40, 30, 8, 6), 5, pool, [] { return true; }));
}

}  // namespace
}  // namespace dorm

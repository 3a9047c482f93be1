// SPDX-License-Identifier: Apache-2.0
// Products with a cached Gram matrix against the whole matrix, for every budget and number of threads.
#include "model/kernel/gram_cache.h"

#include <gtest/gtest.h>

#include "model/kernel/kernel_data.h"

namespace dorm {
namespace {

struct Fixture {
  const Documents documents{test::random_data({.lengths = std::vector<std::size_t>(40, 30), .features = 5})};
  const std::unique_ptr<const Kernel> kernel = make_kernel("rbf:gamma=0.2", documents);
  const std::size_t n = documents.size();

  GramCache cache(std::uint64_t bytes, std::size_t threads) const {
    return GramCache(kernel->against(documents), documents, bytes, threads);
  }
};

struct Request {
  std::vector<std::uint32_t> rows;
  std::vector<double> coefficients;
};

std::vector<Request> requests(std::size_t n) {
  Rng rng(1);
  std::vector<Request> out(60);
  for (Request& request : out)
    for (std::size_t k = 0; k < 1 + rng.below(100); ++k) {
      request.rows.push_back(static_cast<std::uint32_t>(rng.below(n)));
      request.coefficients.push_back(rng.normal());
    }
  return out;
}

TEST(GramCache, AddsTheRowsOfTheMatrix) {
  const Fixture f;
  const std::vector<float> gram = test::gram_of(*f.kernel, f.documents, f.documents);
  const GramCache cache = f.cache(1 << 30, 2);
  std::vector<double> sum(f.n, 0.0), expected(f.n, 0.0);
  for (const Request& request : requests(f.n)) {
    cache.accumulate(request.rows, request.coefficients, sum);
    for (std::size_t k = 0; k < request.rows.size(); ++k)
      for (std::size_t j = 0; j < f.n; ++j)
        expected[j] += request.coefficients[k] * static_cast<double>(gram[request.rows[k] * f.n + j]);
  }
  for (std::size_t j = 0; j < f.n; ++j) EXPECT_NEAR(sum[j], expected[j], 1e-9);
}

TEST(GramCache, GivesTheSameBitsForEveryBudgetAndNumberOfThreads) {
  const Fixture f;
  std::vector<std::vector<double>> results;
  for (const std::uint64_t rows : {0u, 70u, 200u, 5000u})
    for (const std::size_t threads : {1u, 3u}) {
      const GramCache cache = f.cache(rows * f.n * sizeof(float), threads);
      std::vector<double> sum(f.n, 0.0), scores(f.n);
      for (const Request& request : requests(f.n)) cache.accumulate(request.rows, request.coefficients, sum);
      cache.multiply(sum, scores);
      sum.insert(sum.end(), scores.begin(), scores.end());
      results.push_back(std::move(sum));
    }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(GramCache, MultipliesByEveryRow) {
  const Fixture f;
  const std::vector<float> gram = test::gram_of(*f.kernel, f.documents, f.documents);
  std::vector<double> v(f.n), out(f.n);
  for (std::size_t j = 0; j < f.n; ++j) v[j] = std::sin(static_cast<double>(j));
  f.cache(1 << 20, 1).multiply(v, out);
  for (std::size_t i = 0; i < f.n; ++i) {
    double exact = 0;
    for (std::size_t j = 0; j < f.n; ++j) exact += v[j] * static_cast<double>(gram[i * f.n + j]);
    EXPECT_NEAR(out[i], exact, 1e-9);
  }
}

TEST(GramCache, StaysWithinItsBudgetAndUsesIt) {
  const Fixture f;
  const std::uint64_t budget = 300 * f.n * sizeof(float);
  const GramCache cache = f.cache(budget, 1);
  std::vector<double> sum(f.n, 0.0);
  for (int sweep = 0; sweep < 3; ++sweep)
    for (const Request& request : requests(f.n)) {
      cache.accumulate(request.rows, request.coefficients, sum);
      EXPECT_LE(cache.bytes(), budget);
    }
  EXPECT_GT(cache.bytes(), budget * 9 / 10);
  EXPECT_GT(cache.hits(), 0u);
}

TEST(GramCache, GivesUpRowsThatAreNoLongerAskedFor) {
  const Fixture f;
  const GramCache cache = f.cache((64 + 10) * f.n * sizeof(float), 1);  // ten rows are kept
  std::vector<double> sum(f.n, 0.0);
  const auto ask = [&](std::uint32_t first, int times) {
    for (int t = 0; t < times; ++t)
      for (std::uint32_t row = first; row < first + 10; ++row)
        cache.accumulate(std::span(&row, 1), std::vector<double>{1.0}, sum);
  };
  ask(0, 2);
  ask(100, 2000);  // long enough for the first ten to be stale
  const std::uint64_t before = cache.misses();
  ask(100, 1);
  EXPECT_EQ(cache.misses(), before);
}

}  // namespace
}  // namespace dorm

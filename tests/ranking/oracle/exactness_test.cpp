// SPDX-License-Identifier: Apache-2.0
// Every oracle against enumeration on short lists and against the dense solver on long ones.
#include <gtest/gtest.h>

#include "ranking/oracle/instances.h"

namespace dorm {
namespace {

using test::Instance;
using test::is_ranking;
using test::random_instance;

// Runs every oracle that applies and compares with `truth`; returns how many did.
std::size_t check(const Instance& x, const PreparedQuery& query, double truth, OracleWorkspace& work) {
  std::size_t checked = 0;
  Separation out;
  const std::span<const double> c(query.tables->c.data(), query.size());
  for (OracleKind kind : test::kOracleKinds) {
    if (!supports(query, kind)) continue;
    separate(query, x.scores, out, work, kind);
    ++checked;
    EXPECT_TRUE(is_ranking(out.position_of)) << name_of(kind) << ": " << x.description;
    if (testing::Test::HasFailure()) return checked;
    const double tolerance = 1e-9 * magnitude(x);
    EXPECT_NEAR(objective(x, c, out.position_of), truth, tolerance) << name_of(kind) << ": " << x.description;
    EXPECT_NEAR(out.value, truth, tolerance) << name_of(kind) << ": " << x.description;
    double score = 0;
    for (std::size_t i = 0; i < query.size(); ++i) {
      EXPECT_EQ(out.coefficient[i], c[out.position_of[i]]);
      score += out.coefficient[i] * x.scores[i];
    }
    EXPECT_NEAR(score - (query.ideal - out.loss), out.value, tolerance);
    EXPECT_GE(out.loss, -1e-12);
  }
  return checked;
}

// `lengths` draws l; `instances` are made from the seed.
void run(std::uint64_t seed, int instances, std::size_t shortest, std::size_t longest, bool by_enumeration) {
  Rng rng(seed);
  OracleWorkspace work;
  for (int k = 0; k < instances && !testing::Test::HasFailure();) {
    const Instance x = random_instance(shortest + rng.below(longest - shortest + 1), rng);
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    if (!by_enumeration && x.factors.kind == Factors::Kind::first) continue;
    ++k;
    const std::span<const double> c(query.tables->c.data(), query.size());
    SCOPED_TRACE("instance " + std::to_string(k));
    check(x, query, by_enumeration ? enumerate(x, c) : dense(x, c), work);
  }
}

TEST(OracleExactness, EqualsEnumerationUpToSixDocuments) { run(1, 20000, 1, 6, true); }
TEST(OracleExactness, EqualsEnumerationOnSevenDocuments) { run(2, 400, 7, 7, true); }
TEST(OracleExactness, EqualsEnumerationOnEightDocuments) { run(3, 40, 8, 8, true); }
TEST(OracleExactness, EqualsTheDenseSolverUpToFortyDocuments) { run(4, 20000, 2, 40, false); }
TEST(OracleExactness, EqualsTheDenseSolverUpToAHundredAndTwentyDocuments) { run(5, 1500, 41, 120, false); }
TEST(OracleExactness, EqualsTheDenseSolverUpToFourHundredDocuments) { run(6, 100, 121, 400, false); }

// Position by position: the p best others, then everyone else by score, has its first hit at p or later.
double best_first_hit(const Instance& x, std::span<const double> c) {
  const std::size_t l = x.scores.size();
  std::vector<std::uint32_t> others, order(l), position_of(l);
  std::iota(order.begin(), order.end(), 0u);
  const auto by_score = [&](auto i, auto j) { return x.scores[i] > x.scores[j]; };
  std::stable_sort(order.begin(), order.end(), by_score);
  for (std::uint32_t i : order) {
    if (x.factors.b[i] == 0) others.push_back(i);
  }
  double best = -1e300;
  for (std::size_t p = 0; p <= others.size(); ++p) {
    std::vector<std::uint32_t> ranking(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(p));
    for (std::uint32_t i : order) {
      if (std::find(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(p), i) ==
          others.begin() + static_cast<std::ptrdiff_t>(p)) {
        ranking.push_back(i);
      }
    }
    for (std::size_t j = 0; j < l; ++j) position_of[ranking[j]] = static_cast<std::uint32_t>(j);
    best = std::max(best, objective(x, c, position_of));
  }
  return best;
}

TEST(OracleExactness, FirstHitEqualsTryingEveryPosition) {
  Rng rng(8);
  OracleWorkspace work;
  int seen = 0;
  for (int k = 0; k < 3000 && !testing::Test::HasFailure(); ++k) {
    const Instance x = random_instance(9 + rng.below(60), rng);
    if (x.factors.kind != Factors::Kind::first) continue;
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    check(x, query, best_first_hit(x, {query.tables->c.data(), query.size()}), work);
    ++seen;
  }
  EXPECT_GT(seen, 300);
}

// Short lists with real gains, small cutoffs and steep decays: where the exchange needs long paths through the tail.
TEST(OracleExactness, ExchangeEqualsTheDenseSolverOnDeepPaths) {
  Rng rng(7);
  OracleWorkspace work;
  for (int k = 0; k < 40000 && !testing::Test::HasFailure(); ++k) {
    Instance x;
    const std::size_t l = 6 + rng.below(13), n = 2 + rng.below(4);
    const double agree = 8 * rng.uniform(), noise = rng.uniform();
    for (std::size_t i = 0; i < l; ++i) {
      x.factors.a.push_back(i < n ? 1 - rng.uniform() * 0.2 - 0.15 * static_cast<double>(i) : 0);
      x.factors.b.push_back(rng.uniform());
      x.scores.push_back(agree * x.factors.b[i] + noise * rng.normal());
      if (rng.below(3) == 0) x.factors.b[i] = 1;  // never a candidate, but moved by those around it
    }
    std::sort(x.factors.a.begin(), x.factors.a.end(), std::greater<>());
    x.decay = rng.below(2) == 0 ? "exponential:2" : "power:1";
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    Separation out;
    separate(query, x.scores, out, work, OracleKind::exchange);
    EXPECT_NEAR(out.value, dense(x, {query.tables->c.data(), l}), 1e-9 * magnitude(x)) << "instance " << k;
  }
}

}  // namespace
}  // namespace dorm

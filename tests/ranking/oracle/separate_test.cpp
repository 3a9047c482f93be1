// SPDX-License-Identifier: Apache-2.0
// What holds for every oracle beside exactness: errors, ties, repeatability, instruction sets, sharing.
#include <gtest/gtest.h>

#include <limits>

#include "dorm/error.h"
#include "ranking/oracle/instances.h"
#include "ranking/oracle/workspace.h"
#include "support/message_of.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

using test::Instance;
using test::is_ranking;
using test::random_instance;

PreparedQuery prepared(const Factors& factors, OracleTables& tables, const char* decay = "power:0.5") {
  return prepare(factors, Decay(decay), tables);
}

std::string bad_input(auto&& action) { return test::message_of(action, ErrorCode::bad_input); }

TEST(Separate, RefusesBadFactors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](Factors f) {
    OracleTables tables;
    return bad_input([&] { prepared(f, tables); });
  };
  EXPECT_EQ(message({{}, {}}), "a query without documents cannot be prepared");
  EXPECT_EQ(message({{1, 0.5}, {1}}), "2 position weights for 1 gains; expected equal lengths");
  EXPECT_EQ(message({{0.5, 1}, {1, 0}}),
            "position weight a[1] = 1; expected finite, non-negative and non-increasing weights");
  EXPECT_EQ(message({{nan, 1}, {1, 0}}),
            "position weight a[0] = nan; expected finite, non-negative and non-increasing weights");
  EXPECT_EQ(message({{1, -0.5}, {1, 0}}),
            "position weight a[1] = -0.5; expected finite, non-negative and non-increasing weights");
  EXPECT_EQ(message({{1, 0.5}, {1, -1}}), "gain b[1] = -1; expected a finite, non-negative number");
  EXPECT_EQ(message({{1, 0.5}, {nan, 0}}), "gain b[0] = nan; expected a finite, non-negative number");
  EXPECT_EQ(message({{1, 0.5}, {0.5, 0}, Factors::Kind::first}), "gain b[0] = 0.5; a first-hit measure expects 0 or 1");
}

TEST(Separate, RefusesBadScores) {
  OracleTables tables;
  OracleWorkspace work;
  Separation out;
  for (std::size_t l : {3u, 8u, 20u}) {
    Factors f{std::vector<double>(l, 0.0), std::vector<double>(l, 1.0)};
    f.a[0] = 1;
    const PreparedQuery query = prepared(f, tables);
    std::vector<double> scores(l, 0.5);
    const std::string tail = "; expected a finite number";
    scores[l - 1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(bad_input([&] { separate(query, scores, out, work); }),
              "score of document " + std::to_string(l - 1) + " is nan" + tail);
    scores[1] = -std::numeric_limits<double>::infinity();
    EXPECT_EQ(bad_input([&] { separate(query, scores, out, work); }), "score of document 1 is -inf" + tail);
    scores.pop_back();
    EXPECT_EQ(bad_input([&] { separate(query, scores, out, work); }),
              std::to_string(l - 1) + " scores for a query of " + std::to_string(l) + " documents");
  }
}

TEST(Separate, RefusesAnOracleThatDoesNotApply) {
  OracleTables tables;
  OracleWorkspace work;
  Separation out;
  const PreparedQuery query = prepared({{1, 0.5, 0.2}, {1, 0, 0}}, tables);
  const std::vector<double> scores = {1, 2, 3};
  EXPECT_EQ(
      test::message_of([&] { separate(query, scores, out, work, OracleKind::first_hit); }, ErrorCode::unsupported),
      "oracle first_hit cannot solve this query of 3 documents");
}

TEST(Separate, ChoosesByStructure) {
  Rng rng(1);
  OracleTables tables;
  std::vector<double> graded(60), real(60), cut(60, 0.0), full(60);
  for (std::size_t i = 0; i < 60; ++i) {
    graded[i] = static_cast<double>(i % 4);
    real[i] = rng.uniform();
    full[i] = 1 / std::log2(static_cast<double>(i) + 2);
    if (i < 10) cut[i] = full[i];
  }
  EXPECT_EQ(prepared({cut, graded}, tables, "measure").chosen, OracleKind::proportional);
  EXPECT_EQ(prepared({cut, graded}, tables).chosen, OracleKind::exchange);
  EXPECT_EQ(prepared({cut, real}, tables).chosen, OracleKind::exchange);
  EXPECT_EQ(prepared({full, graded}, tables).chosen, OracleKind::merge);
  EXPECT_EQ(prepared({full, real}, tables).chosen, OracleKind::paths);
  EXPECT_EQ(prepared({full, std::vector<double>(60, 1.0)}, tables).chosen, OracleKind::proportional);
  for (double& b : graded) b = b > 0 ? 1 : 0;
  EXPECT_EQ(prepared({full, graded, Factors::Kind::first}, tables).chosen, OracleKind::first_hit);
}

TEST(Separate, SharesTablesBetweenQueriesOfEqualWeights) {
  OracleTables tables;
  const PreparedQuery one = prepared({{1, 0.5, 0}, {1, 0, 0}}, tables),
                      two = prepared({{1, 0.5, 0}, {0, 2, 3}}, tables);
  EXPECT_EQ(one.tables, two.tables);
  EXPECT_NE(one.tables, prepared({{1, 0.5, 0.1}, {1, 0, 0}}, tables).tables);
  EXPECT_NE(one.tables, prepared({{1, 0.5, 0}, {1, 0, 0}}, tables, "log").tables);
  EXPECT_EQ(tables.size(), 3u);
}

TEST(Separate, RatesBoundEveryPair) {
  Rng rng(8);
  for (int k = 0; k < 300; ++k) {
    const Instance x = random_instance(2 + rng.below(60), rng);
    OracleTables tables;
    const PositionTables& t = tables.find_or_make(x.factors.a, Decay(x.decay));
    for (std::size_t j = 0; j < t.cutoff; ++j) {
      double low = 1e300, high = -1e300;
      for (std::size_t m = j + 1; m < t.length; ++m) {
        if (t.c[j] == t.c[m]) continue;
        low = std::min(low, (t.a[j] - t.a[m]) / (t.c[j] - t.c[m]));
        high = std::max(high, (t.a[j] - t.a[m]) / (t.c[j] - t.c[m]));
      }
      if (low > high) continue;
      EXPECT_NEAR(t.lowest_rate[j], low, 1e-9 * high) << x.description;
      EXPECT_NEAR(t.highest_rate[j], high, 1e-9 * high) << x.description;
    }
  }
}

TEST(Separate, RanksEqualDocumentsByIndex) {
  Rng rng(9);
  OracleWorkspace work;
  Separation out;
  for (int k = 0; k < 2000; ++k) {
    Instance x = random_instance(2 + rng.below(40), rng);
    for (double& g : x.scores) g = std::round(2 * g) / 2;
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    for (OracleKind kind : test::kOracleKinds) {
      if (!supports(query, kind)) continue;
      separate(query, x.scores, out, work, kind);
      for (std::size_t i = 0; i < query.size(); ++i) {
        for (std::size_t j = i + 1; j < query.size(); ++j) {
          if (x.scores[i] == x.scores[j] && query.b[i] == query.b[j]) {
            ASSERT_LT(out.position_of[i], out.position_of[j]) << name_of(kind) << ": " << x.description;
          }
        }
      }
    }
  }
}

TEST(Separate, RepeatsItselfOnEveryInstructionSetAndWorkspace) {
  Rng rng(10);
  OracleWorkspace used;
  for (int k = 0; k < 300; ++k) {
    const Instance x = random_instance(1 + rng.below(130), rng);
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    OracleWorkspace fresh;
    for (OracleKind kind : test::kOracleKinds) {
      if (!supports(query, kind)) continue;
      Separation first;
      used.buffers().level = simd_level();
      separate(query, x.scores, first, used, kind);
      for (SimdLevel level : test::simd_levels()) {
        for (OracleWorkspace* work : {&fresh, &used}) {
          Separation again;
          work->buffers().level = level;
          separate(query, x.scores, again, *work, kind);
          ASSERT_EQ(again.position_of, first.position_of) << name_of(kind) << ": " << x.description;
          ASSERT_EQ(again.value, first.value);
        }
      }
    }
  }
}

// Documents of lists too long for the dense solver: the algorithms judge each other.
TEST(Separate, AlgorithmsAgreeOnLongLists) {
  Rng rng(11);
  OracleWorkspace work;
  for (int k = 0; k < 40; ++k) {
    const Instance x = random_instance(500 + rng.below(300), rng);
    if (x.factors.kind == Factors::Kind::first) continue;
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    Separation one, two;
    separate(query, x.scores, one, work);
    for (OracleKind kind : {OracleKind::merge, OracleKind::paths}) {
      // The fallback is cubic where its guess is poor.
      if (!supports(query, kind) || (kind == OracleKind::paths && query.tables->cutoff + 1 < query.size())) continue;
      separate(query, x.scores, two, work, kind);
      EXPECT_TRUE(is_ranking(two.position_of));
      EXPECT_NEAR(one.value, two.value, 1e-9 * magnitude(x) * std::abs(query.tables->c[0]))
          << name_of(kind) << x.description;
    }
  }
}

}  // namespace
}  // namespace dorm

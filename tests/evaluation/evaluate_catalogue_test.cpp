// SPDX-License-Identifier: Apache-2.0
// Measures over the whole catalogue, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/recommend/catalogue.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::ratings_from;

// Items 0 to 4 have scores 5 to 1 for every user.
void falling(std::size_t, std::span<double> scores) {
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 5 - static_cast<double>(i);
}

class EvaluateCatalogue : public testing::Test {
 protected:
  // u0 had item 0: the list is 1 2 3 4, and 2 and 4 are relevant. u1 had none: 0 1 2 3 4, and 0 is. u2 has no test
  // part.
  Ratings train = ratings_from({{1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}});
  Ratings test = ratings_from({{0, 0, 1, 0, 1}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}});

  EvaluationTable table(std::vector<std::string> measures) const {
    return evaluate_catalogue(train, test, falling, measures);
  }
};

TEST_F(EvaluateCatalogue, RanksEveryItemThatTheUserHasNotHad) {
  const EvaluationTable t = table({"recall@2", "ndcg@2", "mrr@2", "success@2", "recall@4"});
  EXPECT_EQ(t.query_ids, (std::vector<std::string>{"u0", "u1"}));
  EXPECT_EQ(t["recall@2"].per_query, (std::vector<double>{0.5, 1}));
  const double second = 1 / std::log2(3.0);
  EXPECT_NEAR(t["ndcg@2"].per_query[0], second / (1 + second), 1e-12);
  EXPECT_EQ(t["mrr@2"].per_query, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(t["success@2"].per_query, (std::vector<double>{1, 1}));
  EXPECT_EQ(t["recall@4"].per_query[0], 1);
}

TEST_F(EvaluateCatalogue, CountsTheItemsShownAndHowSurprisingTheyAre) {
  const EvaluationTable t = table({"novelty@1", "ndcg@1", "coverage@1", "coverage@2"});
  EXPECT_EQ(t.measures[0].name, "novelty@1");
  EXPECT_NEAR(t["coverage@1"].mean, 2 / 5.0, 1e-12);  // items 1 and 0
  EXPECT_NEAR(t["coverage@2"].mean, 3 / 5.0, 1e-12);  // and 2
  // Two users have events; item 1 was had by one and item 0 by two: shares (1 + 1) / 3 and (2 + 1) / 3.
  EXPECT_NEAR(t["novelty@1"].per_query[0], std::log2(3 / 2.0), 1e-12);
  EXPECT_NEAR(t["novelty@1"].per_query[1], 0, 1e-12);
}

TEST_F(EvaluateCatalogue, RefusesMeasuresWithoutACutoffAndEmptyTestParts) {
  EXPECT_THROW(table({"map"}), Error);
  EXPECT_THROW(evaluate_catalogue(train, ratings_from({{0, 0, 0, 0, 0}}), falling, {}), Error);
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A comparison of recommenders is what its parts say: splits, scores and means over users.
#include "dorm/lab/recommender_comparison.h"

#include <gtest/gtest.h>

#include <map>

#include "dorm/error.h"
#include "support/message_of.h"
#include "support/ratings.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

RecommenderComparison quick_comparison() {
  RecommenderComparison options;
  options.methods = {"item-mean", "squared:5"};
  options.measures = {"ndcg@5"};
  options.given = 4;
  options.splits = 3;
  options.split_seed = 7;
  options.train.rank = 2;
  options.threads = 1;
  return options;
}

TEST(CompareRecommenders, FiguresAreMeansOverUsersOfMeansOverSplits) {
  const Ratings ratings = test::tasteful_ratings(30, 40, 30, 1);
  const RecommenderComparison options = quick_comparison();
  const ComparisonResult result = compare_recommenders(ratings, options);
  ASSERT_EQ(result.rows.size(), 4U);
  std::map<std::string, std::pair<double, double>> by_user;  // sum and count
  for (std::uint64_t seed = 7; seed < 10; ++seed) {
    const RatingsSplit split = split_given(ratings, 4, seed);
    const std::vector<double> scores =
        collaborative_scores("squared:5", split.train, split.test, {}, {.rank = 2, .measure = "ndcg@5", .threads = 1});
    const EvaluationTable table = evaluate(split.test, scores, options.measures, {.bootstrap = 0, .threads = 1});
    for (std::size_t q = 0; q < table.query_ids.size(); ++q) {
      by_user[table.query_ids[q]].first += table.measures[0].per_query[q];
      by_user[table.query_ids[q]].second += 1;
    }
  }
  double mean = 0;
  for (const auto& [user, value] : by_user) mean += value.first / value.second / static_cast<double>(by_user.size());
  const ComparisonFigure& squared = result.rows[1].figures[0];
  EXPECT_NEAR(squared.result.mean, mean, 1e-12);
  EXPECT_EQ(result.test_queries, by_user.size());
  EXPECT_EQ(squared.result.per_query.size(), by_user.size());
  EXPECT_EQ(squared.chosen, std::vector<std::string>(3, "squared:5"));
  EXPECT_EQ(result.rows[3].method, "ideal");
  EXPECT_EQ(result.rows[3].figures[0].result.mean, 1);
}

TEST(CompareRecommenders, AUserWithoutTestRatingsInSomeSplitCountsByTheOthers) {
  RecommenderComparison options = quick_comparison();
  options.given = 0;
  options.share = 0.1;
  const Ratings ratings = test::tasteful_ratings(20, 25, 5, 2);
  const ComparisonResult result = compare_recommenders(ratings, options);
  EXPECT_LE(result.test_queries, 20U);
  EXPECT_EQ(result.rows[0].figures[0].result.per_query.size(), result.test_queries);
}

TEST(CompareRecommenders, AMethodThatCannotLearnSaysWhy) {
  RecommenderComparison options = quick_comparison();
  options.methods = {"item-mean", "gpr"};  // which needs known facts of the items
  const ComparisonResult result = compare_recommenders(test::tasteful_ratings(30, 40, 30, 1), options);
  EXPECT_TRUE(result.rows[0].failure.empty());
  EXPECT_EQ(result.rows[1].figures.empty(), !result.rows[1].failure.empty());
}

TEST(CompareRecommenders, CellsAreFoundAgainUnlessTheDataIsAnother) {
  const test::TemporaryDirectory place;
  RecommenderComparison options = quick_comparison();
  options.directory = place.path("cells");
  const Ratings ratings = test::tasteful_ratings(30, 40, 30, 1);
  const ComparisonResult first = compare_recommenders(ratings, options);
  std::size_t computed = 0;
  const ComparisonObserver count = [&](const ComparisonProgress& progress) {
    computed = progress.done - progress.found;
    return true;
  };
  const ComparisonResult again = compare_recommenders(ratings, options, {}, count);
  EXPECT_EQ(computed, 0U);
  EXPECT_EQ(again.rows[1].figures[0].result.per_query, first.rows[1].figures[0].result.per_query);
  EXPECT_EQ(again.rows[1].figures[0].chosen, first.rows[1].figures[0].chosen);
  compare_recommenders(test::tasteful_ratings(30, 40, 30, 3), options, {}, count);
  EXPECT_EQ(computed, 6U);
}

TEST(CompareRecommenders, WhatCannotBeComparedIsRefused) {
  const Ratings ratings = test::tasteful_ratings(30, 40, 30, 1);
  const auto said = [&](auto change) {
    RecommenderComparison options = quick_comparison();
    change(options);
    return test::message_of([&] { compare_recommenders(ratings, options); });
  };
  EXPECT_NE(said([](auto& o) { o.methods = {"random"}; }).find("row of every table"), std::string::npos);
  EXPECT_NE(said([](auto& o) { o.methods = {"svd"}; }).find("unknown method"), std::string::npos);
  EXPECT_NE(said([](auto& o) { o.methods = {"dorm", "dorm"}; }).find("named twice"), std::string::npos);
  EXPECT_NE(said([](auto& o) { o.against = "dorm"; }).find("not among the methods"), std::string::npos);
  EXPECT_NE(said([](auto& o) { o.splits = 0; }).find("at least one"), std::string::npos);
}

}  // namespace
}  // namespace dorm

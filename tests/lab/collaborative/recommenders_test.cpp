// SPDX-License-Identifier: Apache-2.0
// What every method of the catalog owes: finite scores, one per rating, the same however many threads, learnt from the
// training ratings alone.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/lab/collaborative.h"
#include "support/case_name.h"
#include "support/message_of.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::ratings_from;
using test::tasteful_ratings;

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  const RatingsSplit split_ = split_given(tasteful_ratings(30, 40, 30, 5), 10, 1, 3);
};

TEST_P(EveryMethod, ScoresEveryRatingAskedForAndDoesNotDependOnThreads) {
  const auto one = collaborative_scores(GetParam(), split_.train, split_.test, {}, {.rank = 3, .threads = 1});
  const auto two = collaborative_scores(GetParam(), split_.train, split_.test, {}, {.rank = 3, .threads = 2});
  ASSERT_EQ(one.size(), split_.test.size());
  for (const double score : one) EXPECT_TRUE(std::isfinite(score));
  EXPECT_EQ(one, two);
}

TEST_P(EveryMethod, DoesNotLookAtTheRatingsItIsAskedFor) {
  std::vector<Rating> blind;
  for (std::uint32_t u = 0; u < split_.test.num_users(); ++u)
    for (const std::uint32_t item : split_.test.of_user(u).index) blind.push_back({u, item, 3});
  const Ratings asked(split_.test.users(), split_.test.items(), blind);
  EXPECT_EQ(collaborative_scores(GetParam(), split_.train, split_.test, {}, {.rank = 3}),
            collaborative_scores(GetParam(), split_.train, asked, {}, {.rank = 3}));
}

class MethodThatLearnsTastes : public EveryMethod {};

TEST_P(MethodThatLearnsTastes, IsBetterThanChanceWhereThereIsATaste) {
  const std::vector<std::string> measures = {"ndcg@10"};
  const auto value = [&](std::string_view method) {
    const auto scores = collaborative_scores(method, split_.train, split_.test, {}, {.rank = 3});
    return evaluate(split_.test, scores, measures, {.bootstrap = 0}).measures[0].mean;
  };
  EXPECT_GT(value(GetParam()), value("random"));
}

TEST_P(EveryMethod, ChoosesFromItsGrid) {
  const std::vector<std::string> grid = collaborative_grid(GetParam());
  const std::string chosen = choose_collaborative(GetParam(), split_.train, {}, {.rank = 3});
  EXPECT_NE(std::find(grid.begin(), grid.end(), chosen), grid.end());
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const CatalogEntry& entry : collaborative_catalog()) all.emplace_back(entry.name);
  return all;
}

/// Without random (it is chance), popularity (items are drawn evenly here) and Gaussian processes of users alone
/// (without known facts they cannot tell items apart).
std::vector<std::string> names_of_learners() {
  std::vector<std::string> learners;
  for (std::string& name : names())
    if (name != "random" && name != "popularity" && !name.starts_with("gp")) learners.push_back(std::move(name));
  return learners;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryMethod, testing::ValuesIn(names()), test::case_name);
INSTANTIATE_TEST_SUITE_P(Catalog, MethodThatLearnsTastes, testing::ValuesIn(names_of_learners()), test::case_name);

struct Wrong {
  const char *method, *message;
};

TEST(CollaborativeMethod, SaysWhatIsWrongWithASpelling) {
  const Ratings ratings = ratings_from({{1, 2}});
  for (const Wrong& wrong : {Wrong{"item-men", "did you mean \"item-mean\""},
                             Wrong{"item-mean:x", "expected item-mean[:damping] with a number"},
                             Wrong{"item-mean:-1", "number of at least 0"}, Wrong{"random:1", "expected random"}}) {
    SCOPED_TRACE(wrong.method);
    const std::string message = test::message_of([&] { collaborative_scores(wrong.method, ratings, ratings); });
    EXPECT_NE(message.find(wrong.message), std::string::npos) << message;
  }
}

TEST(CollaborativeMethod, NeedsRatingsOfTheSameUsersAndItems) {
  const Ratings ratings = ratings_from({{1, 2}});
  EXPECT_THROW(collaborative_scores("random", ratings, ratings_from({{1, 2, 3}})), Error);
  EXPECT_THROW(collaborative_scores("random", ratings_from({{0, 0}}), ratings), Error);
}

TEST(CollaborativeGrid, IsTheSpellingItselfWhenTheParameterIsGiven) {
  EXPECT_EQ(collaborative_grid("item-mean:3"), std::vector<std::string>{"item-mean:3"});
  EXPECT_EQ(collaborative_grid("random"), std::vector<std::string>{"random"});
  EXPECT_EQ(collaborative_grid("item-mean").size(), 3u);
}

}  // namespace
}  // namespace dorm

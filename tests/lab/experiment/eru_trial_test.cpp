// SPDX-License-Identifier: Apache-2.0
// What may be known, learnt from and ranked in a trial of the experiment with joint kernels.
#include "lab/experiment/eru_trial.h"

#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "support/case_name.h"
#include "support/ratings.h"

namespace dorm {

static void PrintTo(Unseen shown, std::ostream* out) { *out << (shown == Unseen::users ? "Users" : "Items"); }

namespace {

using test::case_name;
using test::tasteful_ratings;

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(const Ratings& ratings) {
  Pairs pairs;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const std::uint32_t item : ratings.of_user(u).index) pairs.emplace(u, item);
  return pairs;
}

bool disjoint(const Pairs& a, const Pairs& b) {
  return std::none_of(a.begin(), a.end(), [&](const auto& pair) { return b.contains(pair); });
}

bool within(const Pairs& part, const Pairs& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

std::set<std::size_t> users_of(const Pairs& pairs) {
  std::set<std::size_t> users;
  for (const auto& pair : pairs) users.insert(pair.first);
  return users;
}

std::set<std::size_t> items_of(const Pairs& pairs) {
  std::set<std::size_t> items;
  for (const auto& pair : pairs) items.insert(pair.second);
  return items;
}

bool common(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::size_t x) { return b.contains(x); });
}

class EveryQuestion : public testing::TestWithParam<Unseen> {
 protected:
  const Ratings ratings_ = tasteful_ratings(60, 50, 25, 8);
  const EruTrial trial_ = draw_trial(ratings_, GetParam(), 20, 30, 5);
  const EruTrial held_ = validation_of(trial_, GetParam(), 5);
};

TEST_P(EveryQuestion, NeverKnowsWhatIsRanked) {
  for (const EruTrial* trial : {&trial_, &held_}) {
    EXPECT_GT(trial->test.size(), 0u);
    EXPECT_TRUE(disjoint(pairs_of(trial->test), pairs_of(trial->known)));
    EXPECT_TRUE(within(pairs_of(trial->train), pairs_of(trial->known)));
    EXPECT_TRUE(within(pairs_of(trial->own), pairs_of(trial->known)));
    EXPECT_LE(items_of(pairs_of(trial->train)).size(), 30u);
  }
}

TEST_P(EveryQuestion, ChoosesParametersWithoutTheTestRatings) {
  EXPECT_TRUE(disjoint(pairs_of(held_.known), pairs_of(trial_.test)));
  EXPECT_TRUE(within(pairs_of(held_.train), pairs_of(trial_.train)));
  EXPECT_TRUE(within(pairs_of(held_.test), pairs_of(trial_.train)));
}

TEST_P(EveryQuestion, DependsOnTheSeedOnly) {
  EXPECT_EQ(pairs_of(trial_.test), pairs_of(draw_trial(ratings_, GetParam(), 20, 30, 5).test));
  EXPECT_NE(pairs_of(trial_.test), pairs_of(draw_trial(ratings_, GetParam(), 20, 30, 6).test));
}

INSTANTIATE_TEST_SUITE_P(EruTrial, EveryQuestion, testing::Values(Unseen::users, Unseen::items), case_name);

TEST(EruTrial, OfNewUsersLearnsFromOthersThanItRanksFor) {
  const Ratings ratings = tasteful_ratings(60, 50, 25, 8);
  const EruTrial trial = draw_trial(ratings, Unseen::users, 20, 30, 5);
  const Pairs train = pairs_of(trial.train), test = pairs_of(trial.test), own = pairs_of(trial.own);
  EXPECT_EQ(users_of(train).size(), 20u);
  EXPECT_FALSE(common(users_of(train), users_of(test)));
  EXPECT_EQ(users_of(own), users_of(test));
  EXPECT_NEAR(static_cast<double>(own.size()), static_cast<double>(test.size()), 40.0);  // halves, rounded
  EXPECT_LE(items_of(test).size(), 30u);
}

TEST(EruTrial, OfNewItemsRanksOtherItemsThanItLearnsFrom) {
  const Ratings ratings = tasteful_ratings(60, 50, 25, 8);
  const EruTrial trial = draw_trial(ratings, Unseen::items, 20, 30, 5);
  const Pairs train = pairs_of(trial.train), test = pairs_of(trial.test);
  EXPECT_EQ(users_of(train).size(), 20u);
  EXPECT_FALSE(common(items_of(train), items_of(test)));
  EXPECT_TRUE(within(pairs_of(trial.own), train));
  EXPECT_EQ(trial.known.size() + trial.test.size(), ratings.size());
}

}  // namespace
}  // namespace dorm

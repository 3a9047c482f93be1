// SPDX-License-Identifier: Apache-2.0
// Events from text, and their splits by time.
#include <gtest/gtest.h>

#include <algorithm>

#include "dorm/error.h"
#include "dorm/recommend/read_events.h"
#include "support/message_of.h"

namespace dorm {
namespace {

std::string refusal(const std::string& text, std::optional<float> liked = {}) {
  return test::message_of([&] { parse_events(text, "e", liked); });
}

TEST(Events, ReadsTwoColumnsAndAddsRepeatedWeights) {
  const Events two = parse_events("ann,x\nbob,x\nann,y\nann,x\n", "e");
  EXPECT_EQ(two.weights.size(), 3u);
  EXPECT_EQ(two.weights.of_user(0).value[0], 2);
  EXPECT_TRUE(two.times.empty());
  const Events plays = parse_events("ann\tx\t2.5\t10\nann\tx\t4\t30\nbob\ty\t0\t5\n", "e");
  EXPECT_EQ(plays.weights.size(), 1u);
  EXPECT_EQ(plays.weights.of_user(0).value[0], 6.5);
  EXPECT_EQ(plays.times, (std::vector<double>{30}));
}

TEST(Events, AHeaderNamesTheColumnsAndQuotesHoldCommas) {
  const Events events = parse_events("timestamp,item_id,userId\n100,\"a, b\",ann\n200,c,ann\n", "e");
  EXPECT_EQ(events.weights.items()[0], "a, b");
  EXPECT_EQ(events.times, (std::vector<double>{100, 200}));
  EXPECT_EQ(parse_events("user,item\nann,x\n", "e").weights.size(), 1u);
}

TEST(Events, LikedKeepsTheRatingsFromAValueOn) {
  const Events events = parse_events("ann 1 5 7\nann 2 3 8\nbob 1 4 9\n", "e", 4);
  EXPECT_EQ(events.weights.size(), 2u);
  EXPECT_EQ(events.weights.of_user(0).value[0], 1);
  EXPECT_NE(refusal("ann,1\n", 4).find("found no column of ratings"), std::string::npos);
  EXPECT_NE(refusal("ann,1,3\n", 4).find("no rating is 4 or more"), std::string::npos);
}

TEST(Events, RefusesWhatIsNoEventWithLineAndColumn) {
  EXPECT_NE(refusal("ann,x,1\nann,y,-2\n").find("e:2:7: found weight -2; expected 0 or more"), std::string::npos);
  EXPECT_NE(refusal("ann,x,1\nann\n").find("e:2:4: found 1 cells"), std::string::npos);
  EXPECT_NE(refusal("ann\nbob\n").find("e:1:4: found 1 cells separated by ' '; expected 2: user, item"),
            std::string::npos);
  for (const char* const cell : {"nan", "inf", "1e39"})
    EXPECT_NE(refusal("ann,x," + std::string(cell) + "\nbob,y,1\n").find("e:1:7: found '" + std::string(cell) + "'"),
              std::string::npos);
  EXPECT_NE(refusal("ann,x,3e38\nann,x,3e38\nbob,y,1\n").find("user \"ann\" and item \"x\" sum to inf"),
            std::string::npos);
  EXPECT_NE(refusal("ann,x,881250949\nbob,y,891717742\n").find("as times are"), std::string::npos);
  EXPECT_NE(refusal("ann,x,1\nbob,x,often\n").find("found 'often'; expected a finite number as weight"),
            std::string::npos);
}

TEST(Events, RefusesUsersAndItemsOutOfRange) {
  const IdTable ids({"a", "b"});
  EXPECT_NE(test::message_of([&] { Events(ids, ids, {{2, 0}}); }).find("item 0 by user 2"), std::string::npos);
  EXPECT_NE(test::message_of([&] { Events(ids, ids, {{0, 2}}); }).find("item 2 by user 0"), std::string::npos);
}

TEST(Ratings, OfRowsAreThoseOfAList) {
  const IdTable users({"a", "b", "c"}), items({"x", "y"});
  const Rating list[] = {{0, 1, 5}, {2, 0, 3}, {2, 1, 4}};
  const RatingRows rows = {{0, 1, 1, 3}, {1, 0, 1}, {5, 3, 4}};
  Ratings made(users, items, rows);
  const Ratings listed(users, items, list);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_TRUE(std::ranges::equal(made.of_item(j).index, listed.of_item(j).index));
    EXPECT_TRUE(std::ranges::equal(made.of_item(j).value, listed.of_item(j).value));
  }
  const RatingRows back = made.take_rows();
  EXPECT_EQ(back.begin, rows.begin);
  EXPECT_EQ(back.index, rows.index);
  EXPECT_EQ(back.value, rows.value);
  EXPECT_EQ(made.size(), 0u);
  const auto refused = [&](const RatingRows& bad) { return test::message_of([&] { Ratings(users, items, bad); }); };
  for (const RatingRows& bad : {RatingRows{{0, 1, 1}, {1}, {5}}, RatingRows{{0, 2, 1, 3}, {1, 0, 1}, {5, 3, 4}},
                                RatingRows{{0, 1, 1, 3}, {1, 0, 1}, {5, 3}}})
    EXPECT_NE(refused(bad).find("the rows of the users do not fit together"), std::string::npos);
  EXPECT_NE(refused({{0, 0, 0, 2}, {1, 0}, {5, 3}}).find("user \"c\" rated item 0 of 2 3"), std::string::npos);
  EXPECT_NE(refused({{0, 0, 0, 1}, {2}, {5}}).find("item 2 of 2"), std::string::npos);
}

TEST(EventSplits, TheLatestShareOrTheLatestOfEachUserTests) {
  const Events events = parse_events("a x 1 10\na y 1 50\nb x 1 20\nb z 1 15\nc x 1 60\n", "e");
  const RatingsSplit by_time = split_time(events, 0.4);
  EXPECT_EQ(by_time.test.size(), 2u);
  EXPECT_EQ(by_time.test.of_user(0).index[0], 1u);  // a y
  EXPECT_EQ(by_time.test.of_user(2).size(), 1u);    // c x
  const RatingsSplit last = split_leave_last(events);
  EXPECT_EQ(last.train.size(), 3u);
  EXPECT_EQ(last.test.of_user(1).index[0], 0u);  // b x
  EXPECT_EQ(last.test.of_user(2).size(), 0u);    // the only event of c trains
  EXPECT_THROW(split_time(parse_events("a,x\na,y\n", "e"), 0.4), Error);
}

}  // namespace
}  // namespace dorm

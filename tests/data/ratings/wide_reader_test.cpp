// SPDX-License-Identifier: Apache-2.0
// Matrices of ratings in text files: recognised and refused, or read where the layout says so.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/read.h"
#include "support/message_of.h"

namespace dorm {
namespace {

Ratings wide(std::string_view text, std::string_view layout = "wide", RatingsReport* report = nullptr) {
  return parse_ratings(text, "r.csv", report, parse_ratings_layout(layout));
}

TEST(WideRatings, AreRefusedWhereTheLayoutIsNotSaid) {
  for (const char* text : {"4,99,7.5,-3,1.2,99\n", "u1,1,2,3,,5\nu2,2,2,2,NA,1\n", "user,a,b,c,d,e\nu1,1,2,3,4,5\n",
                           "user,11,12,13,14,15\nu1,1,2,3,4,5\n"}) {
    const std::string message = test::message_of([&] { parse_ratings(text, "r.csv"); }, ErrorCode::bad_option);
    EXPECT_NE(message.find("numbers on a line, as in a matrix with a row for each user"), std::string::npos) << message;
  }
}

TEST(WideRatings, TriplesWithMoreColumnsAreStillTriples) {
  EXPECT_EQ(parse_ratings("1,2,3,978300760,web,x\n", "r").size(), 1u);
  EXPECT_EQ(parse_ratings("user,item,rating,a,b,c\n1,2,3,4,5,6\n", "r").size(), 1u);
  EXPECT_EQ(parse_ratings("1,2,3,4,5,6\n", "r", nullptr, parse_ratings_layout("triples")).of_user(0).value[0], 3);
}

TEST(WideRatings, AHeaderNamesItemsAndAColumnUsers) {
  RatingsReport report;
  const Ratings ratings = wide("userId,first film,second,third\nann,1.5,,4\nbob,NA,-2,?\n", "wide", &report);
  EXPECT_TRUE(report.header);
  EXPECT_EQ(ratings.users()[1], "bob");
  EXPECT_EQ(ratings.items()[0], "first film");
  EXPECT_EQ(ratings.num_items(), 3u);
  ASSERT_EQ(ratings.size(), 3u);
  EXPECT_EQ(ratings.of_user(0).value[1], 4);
  EXPECT_EQ(ratings.of_user(1).index[0], 1u);
  EXPECT_EQ(ratings.of_user(1).value[0], -2);
}

TEST(WideRatings, ItemsMayBeNumbersInAHeaderAndUsersMayHaveNoName) {
  EXPECT_EQ(wide(",101,102\n7,1,2\n8,3,4\n").items()[1], "102");
  EXPECT_EQ(wide(",101,102\n7,1,2\n8,3,4\n").users()[1], "8");
  const Ratings bare = wide("1 2 3\n4 5 1\n");
  EXPECT_EQ(bare.users()[1], "2");
  EXPECT_EQ(bare.items()[2], "3");
  EXPECT_EQ(bare.size(), 6u);
  EXPECT_EQ(wide("a,b,c\n1,2,3\n").users()[0], "1") << "a header of items alone";
}

TEST(WideRatings, AsInJesterAMarkAndACountAreNoRatings) {
  RatingsReport report;
  const Ratings ratings = wide("2,99,4.5,-9.1\n3,1.25,2,7.5\n1,99,99,-3\n", "wide:99", &report);
  EXPECT_EQ(ratings.size(), 6u);
  EXPECT_EQ(ratings.num_items(), 3u);
  EXPECT_EQ(ratings.of_user(0).index[0], 1u);
  EXPECT_EQ(ratings.of_user(0).value[0], 4.5f);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("the first column counts rated items"), std::string::npos);
}

TEST(WideRatings, ANumberThatLooksLikeAMarkMustBeExplained) {
  const auto said = [](std::string_view text) { return test::message_of([&] { wide(text); }, ErrorCode::bad_option); };
  EXPECT_NE(said("1,99,4.5,-9.1\n3,1.25,2,7.5\n").find("99 is in 12 % of the cells, the others are between -9.1"),
            std::string::npos);
  EXPECT_NE(said("0,0,0,4\n0,5,0,3\n")
                .find("0 is in 62 % of the cells, the others are between 3 and 5; expected a "
                      "layout that says whether it means not rated (wide:0)"),
            std::string::npos);
  EXPECT_EQ(wide("0,0,0,4\n0,5,0,3\n", "wide:none").size(), 8u);
  EXPECT_EQ(wide("0,0,0,4\n0,5,0,3\n", "wide:0").size(), 3u);
}

TEST(WideRatings, WhatDoesNotFitIsRefused) {
  const auto said = [](std::string_view text) { return test::message_of([&] { wide(text); }, ErrorCode::bad_input); };
  EXPECT_NE(said("u,a,b\nx,1,2\ny,1\n").find("r.csv:3:4: found 2 cells; expected 3"), std::string::npos);
  EXPECT_NE(said("u,a,b\nx,1,good\n").find("r.csv:2:5: found 'good'"), std::string::npos);
  EXPECT_NE(said("u,a,b\nx,1,2\nx,1,3\n").find("r.csv:3:1: user 'x' has a second line"), std::string::npos);
  EXPECT_NE(said("u,a,b\nx,,\n").find("no ratings"), std::string::npos);
  EXPECT_THROW(parse_ratings_layout("broad"), Error);
  EXPECT_THROW(parse_ratings_layout("wide:x"), Error);
}

}  // namespace
}  // namespace dorm

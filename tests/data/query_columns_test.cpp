// SPDX-License-Identifier: Apache-2.0
#include "dorm/data/query_columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/message_of.h"

namespace dorm {
namespace {

SideFeatures two_users() { return {{"age", "tall"}, IdTable({"eve", "ann"}), {30, 0, 20, 1}}; }

Dataset asked_by(std::vector<const char*> users) {
  DatasetBuilder builder;
  for (const char* user : users)
    for (float x : {1.0f, 2.0f}) builder.add({.label = x, .query_id = user}, std::vector<float>{x});
  return builder.finish();
}

TEST(UserColumns, AreThoseOfTheUserOfTheQuery) {
  std::size_t unknown = 7;
  const Dataset data = with_user_columns(asked_by({"ann", "bob", "eve"}), two_users(), &unknown);
  EXPECT_EQ(unknown, 1u);
  ASSERT_EQ(data.num_features(), 3u);
  EXPECT_EQ(data.feature_name(0), "1");
  EXPECT_EQ(data.feature_name(1), "user:age");
  EXPECT_EQ(data.feature_name(2), "user:tall");
  const float expected[3][2] = {{20, 1}, {0, 0}, {30, 0}};
  for (std::size_t q = 0; q < 3; ++q)
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(data.query(q).rows.at(i, 0), static_cast<float>(i + 1));
      for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(data.query(q).rows.at(i, j + 1), expected[q][j]);
      EXPECT_EQ(data.query(q).labels[i], static_cast<float>(i + 1));
    }
}

TEST(UserColumns, WhatIsWrongIsNamed) {
  const auto message = [](const Dataset& data, const SideFeatures& users) {
    return test::message_of([&] { with_user_columns(data, users); }, ErrorCode::bad_input);
  };
  EXPECT_NE(message(asked_by({"bob"}), two_users())
                .find("no query is called like a user; the first query is bob, and the first of 2 users eve"),
            std::string::npos);
  SideFeatures odd = two_users();
  odd.values[3] = std::nan("");
  EXPECT_NE(message(asked_by({"ann"}), odd).find("user ann: tall is nan; expected a finite number"), std::string::npos);
  const Dataset once = with_user_columns(asked_by({"ann"}), two_users());
  EXPECT_NE(message(once, two_users()).find("the column \"user:age\" is there already"), std::string::npos);
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/parameters.h"

#include <gtest/gtest.h>

#include "serve/exchange.h"

namespace dorm::explore {
namespace {

int status_of_refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const serve::Refusal& refusal) {
    return refusal.status();
  }
  return 0;
}

TEST(ParametersTest, DecodesWhatIsEncoded) {
  const Parameters parameters("/api/x?a=1%2C2&b=x+y%20z&c=%zz%4&a=3,4&%C3%A9=1&d");
  EXPECT_EQ(parameters.text("a"), "3,4");
  EXPECT_EQ(parameters.text("b"), "x+y z");
  EXPECT_EQ(parameters.text("c"), "%zz%4");
  EXPECT_EQ(parameters.text("\xc3\xa9"), "1");
  EXPECT_TRUE(parameters.has("d"));
  EXPECT_FALSE(parameters.has("e"));
}

TEST(ParametersTest, WhatIsNoNumberAndWhatNamesNothing) {
  const Parameters parameters("/?q=5&r=-1&s=99999999999999999999999&t=1,2,x&u=1,9&v=");
  EXPECT_EQ(parameters.index("q", 6), 5U);
  EXPECT_EQ(status_of_refusal([&] { parameters.index("q", 5); }), 404);
  EXPECT_EQ(status_of_refusal([&] { parameters.index("r", 5); }), 400);
  EXPECT_EQ(status_of_refusal([&] { parameters.index("s", 5); }), 404);
  EXPECT_EQ(status_of_refusal([&] { parameters.index("absent", 5); }), 400);
  EXPECT_EQ(status_of_refusal([&] { parameters.indices("t", 9, 5, true); }), 400);
  EXPECT_EQ(parameters.indices("u", 9, 5, true), std::vector<std::size_t>{1});
  EXPECT_EQ(status_of_refusal([&] { parameters.indices("u", 9, 5, false); }), 404);
  EXPECT_EQ(status_of_refusal([&] { parameters.indices("u", 1, 99, false); }), 400);
  EXPECT_EQ(parameters.whole("v", 7, 9), 7U);
  EXPECT_EQ(status_of_refusal([&] { parameters.whole("q", 7, 4); }), 400);
}

TEST(ParametersTest, EditsAreSortedAndThoseThatChangeNothingGo) {
  Model model;
  model.features = {"a", "b", "c"};
  model.weights = {1, 2, 3};
  const auto edits = edits_of(Parameters("/?edits=2:0.5,0:1,1:-2e-1,2:4"), model);
  EXPECT_EQ(edits, (std::vector<Edit>{{1, -0.2}, {2, 4}}));
  for (const char* bad : {"3:1", "x:1", "1", "1:", "1:nan", "1:inf", "1:2:3", "-1:2", "__proto__:1"})
    EXPECT_EQ(status_of_refusal([&] { edits_of(Parameters(std::string("/?edits=") + bad), model); }), 400) << bad;
}

}  // namespace
}  // namespace dorm::explore

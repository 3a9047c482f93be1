// SPDX-License-Identifier: Apache-2.0
// Requests and responses as bytes: what goes in comes out, and nothing else is believed.
#include <gtest/gtest.h>

#include "learning/shards/message.h"
#include "support/message_of.h"

namespace dorm {
namespace {

ShardRequest some_question() {
  return {.topic = Topic::hinge,
          .gains = true,
          .step = 3,
          .first = 2,
          .bound = Bound::predicted,
          .setup = ShardSetup{.measure = "ndcg@10",
                              .convention = "standard",
                              .scaling = {ScalingKind::zscore, {0.1, 1e-300}, {1 / 3.0, 7}}}
                       .text(),
          .reference = {1, 2},
          .w = {-0.0, 1e308}};
}

ShardResponse some_answer() {
  ShardResponse response;
  response.shard = 17;
  response.request = 5;
  response.value = 0.1;
  response.plane = {0.3, {1, -2}, {4, 9}};
  response.numbers = {1 / 3.0};
  response.text = "a text";
  return response;
}

TEST(ShardMessage, AQuestionComesBackAsItWas) {
  const ShardRequest asked = some_question(), heard = ShardRequest::parse(asked.bytes());
  EXPECT_EQ(heard.bytes(), asked.bytes());
  EXPECT_EQ(heard.topic, Topic::hinge);
  EXPECT_TRUE(heard.gains);
  EXPECT_EQ(heard.step, 3u);
  EXPECT_EQ(heard.first, 2u);
  EXPECT_EQ(heard.bound, Bound::predicted);
  EXPECT_EQ(heard.reference, asked.reference);
  EXPECT_EQ(heard.w, asked.w);
  const ShardSetup setup = ShardSetup::parse(heard.setup);
  EXPECT_EQ(setup.measure, "ndcg@10");
  EXPECT_EQ(setup.scaling.kind, ScalingKind::zscore);
  EXPECT_EQ(setup.scaling.shift, (std::vector{0.1, 1e-300}));
  EXPECT_EQ(setup.scaling.factor, (std::vector{1 / 3.0, 7.0}));
}

TEST(ShardMessage, AnAnswerComesBackAsItWas) {
  const ShardResponse given = some_answer(), heard = ShardResponse::parse(given.bytes());
  EXPECT_EQ(heard.bytes(), given.bytes());
  EXPECT_EQ(heard.shard, 17u);
  EXPECT_EQ(heard.plane, given.plane);
  EXPECT_EQ(heard.numbers, given.numbers);
  EXPECT_EQ(heard.text, "a text");
  EXPECT_FALSE(heard.failed);
}

TEST(ShardMessage, EveryBitCountsAndNothingIsReadBeyondTheEnd) {
  const std::string request = some_question().bytes(), response = some_answer().bytes();
  for (std::size_t k = 0; k < response.size(); ++k) {
    std::string damaged = response;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
    EXPECT_THROW(ShardResponse::parse(damaged), Error) << k;
    EXPECT_THROW(ShardResponse::parse(response.substr(0, k)), Error) << k;
  }
  for (std::size_t k = 0; k < request.size(); ++k) {
    std::string damaged = request;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
    EXPECT_THROW(ShardRequest::parse(damaged), Error) << k;
    EXPECT_THROW(ShardRequest::parse(request.substr(0, k)), Error) << k;
  }
  EXPECT_THROW(ShardResponse::parse(response + "x"), Error);
  EXPECT_THROW(ShardResponse::parse(request), Error);
}

TEST(ShardMessage, AnotherVersionIsNamed) {
  std::string bytes = some_answer().bytes();
  const std::size_t at = bytes.find(DORM_VERSION);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '9';
  const std::string message = test::message_of([&] { ShardResponse::parse(bytes); }, ErrorCode::bad_input);
  EXPECT_NE(message.find(bytes.substr(at, std::string(DORM_VERSION).size())), std::string::npos) << message;
  EXPECT_NE(message.find("expected " DORM_VERSION), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Questions and answers as bytes: what goes in comes out, and nothing else is believed.
#include <gtest/gtest.h>

#include "learning/shards/message.h"
#include "support/message_of.h"

namespace dorm {
namespace {

Question some_question() {
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

Answer some_answer() {
  Answer answer;
  answer.shard = 17;
  answer.question = 5;
  answer.value = 0.1;
  answer.plane = {0.3, {1, -2}, {4, 9}};
  answer.numbers = {1 / 3.0};
  answer.text = "a text";
  return answer;
}

TEST(ShardMessage, AQuestionComesBackAsItWas) {
  const Question asked = some_question(), heard = Question::parse(asked.bytes());
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
  const Answer given = some_answer(), heard = Answer::parse(given.bytes());
  EXPECT_EQ(heard.bytes(), given.bytes());
  EXPECT_EQ(heard.shard, 17u);
  EXPECT_EQ(heard.plane, given.plane);
  EXPECT_EQ(heard.numbers, given.numbers);
  EXPECT_EQ(heard.text, "a text");
  EXPECT_FALSE(heard.failed);
}

TEST(ShardMessage, EveryBitCountsAndNothingIsReadBeyondTheEnd) {
  const std::string question = some_question().bytes(), answer = some_answer().bytes();
  for (std::size_t k = 0; k < answer.size(); ++k) {
    std::string damaged = answer;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
    EXPECT_THROW(Answer::parse(damaged), Error) << k;
    EXPECT_THROW(Answer::parse(answer.substr(0, k)), Error) << k;
  }
  for (std::size_t k = 0; k < question.size(); ++k) {
    std::string damaged = question;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
    EXPECT_THROW(Question::parse(damaged), Error) << k;
    EXPECT_THROW(Question::parse(question.substr(0, k)), Error) << k;
  }
  EXPECT_THROW(Answer::parse(answer + "x"), Error);
  EXPECT_THROW(Answer::parse(question), Error);
}

TEST(ShardMessage, AnotherVersionIsNamed) {
  std::string bytes = some_answer().bytes();
  const std::size_t at = bytes.find(DORM_VERSION);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '9';
  const std::string message = test::message_of([&] { Answer::parse(bytes); }, ErrorCode::bad_input);
  EXPECT_NE(message.find(bytes.substr(at, std::string(DORM_VERSION).size())), std::string::npos) << message;
  EXPECT_NE(message.find("expected " DORM_VERSION), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm

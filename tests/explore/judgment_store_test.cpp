// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/judgment_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "dorm/error.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm::explore {
namespace {

using test::message_of;
using test::TemporaryDirectory;

class JudgmentStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!JudgmentStore::available()) GTEST_SKIP() << "this build has no SQLite";
  }
  TemporaryDirectory folder_;
};

TEST_F(JudgmentStoreTest, UndoGoesBackChangeByChange) {
  JudgmentStore store(folder_.path("j.sqlite"));
  EXPECT_FALSE(store.give("ada", "q", "d", 3.0F).before);
  EXPECT_EQ(store.give("ada", "q", "d", 1.0F).before, 3.0F);
  EXPECT_EQ(store.give("bob", "q", "d", 2.0F).judgments, 1U);
  EXPECT_EQ(store.give("ada", "q", "d", std::nullopt).judgments, 0U);
  EXPECT_EQ(store.undo("ada").label, 1.0F);
  EXPECT_EQ(store.undo("ada").label, 3.0F);
  const LabelChange last = store.undo("ada");
  EXPECT_EQ(last.document, "d");
  EXPECT_FALSE(last.label);
  EXPECT_EQ(store.undo("ada").query, "");
  EXPECT_EQ(store.labels("bob", "q").at("d"), 2.0F);
}

TEST_F(JudgmentStoreTest, ThreadsAndConnectionsLoseNothing) {
  const std::string path = folder_.path("j.sqlite");
  JudgmentStore one(path), other(path);
  std::vector<std::thread> judges;
  for (int t = 0; t < 4; ++t)
    judges.emplace_back([&, t] {
      for (int k = 0; k < 25; ++k)
        (t % 2 ? one : other).give(fmt::format("judge {}", t / 2), fmt::format("q{}", t), fmt::format("d{}", k), 1.0F);
    });
  for (std::thread& judge : judges) judge.join();
  EXPECT_EQ(one.all().size(), 100U);
  EXPECT_EQ(other.all("judge 1").size(), 50U);
  EXPECT_EQ(JudgmentStore(path).counts("judge 0").at("q1"), 25U);
}

TEST_F(JudgmentStoreTest, OddNamesComeBackAsTheyWere) {
  JudgmentStore store(folder_.path("j.sqlite"));
  const std::string query = "<img onerror=\"x\"> '; DROP TABLE judgments; --", document = "\xff\xfe\t\n";
  store.give("ada", query, document, 0.5F);
  const std::vector<GivenLabel> all = store.all();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].query, query);
  EXPECT_EQ(all[0].document, document);
  EXPECT_EQ(all[0].label, 0.5F);
}

TEST_F(JudgmentStoreTest, FilesOfSomethingElseAreRefused) {
  std::ofstream(folder_.path("text")) << std::string(2000, 'x');
  EXPECT_NE(message_of([&] { JudgmentStore(folder_.path("text")); }).find("text: "), std::string::npos);
  EXPECT_NE(message_of([&] { JudgmentStore(folder_.path("no/such/folder.sqlite")); }).find("folder.sqlite"),
            std::string::npos);
}

TEST_F(JudgmentStoreTest, TrialsAreAnsweredOnce) {
  JudgmentStore store(folder_.path("j.sqlite"));
  const TrialPair pair{"aa", "bb"};
  EXPECT_TRUE(store.answer("ada", "q", pair, "first"));
  EXPECT_FALSE(store.answer("ada", "q", pair, "second"));
  EXPECT_TRUE(store.answer("bob", "q", pair, "same"));
  EXPECT_TRUE(store.answer("bob", "q", {"aa", "cc"}, "second"));
  EXPECT_EQ(store.trials(pair).first, 1U);
  EXPECT_EQ(store.trials(pair).same, 1U);
  EXPECT_EQ(store.trials(pair).second, 0U);
  EXPECT_EQ(store.answered("ada", pair).size(), 1U);
}

}  // namespace
}  // namespace dorm::explore

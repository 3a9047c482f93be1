// SPDX-License-Identifier: Apache-2.0
// The file of judgments beside other programs and their files.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>

#include "dorm/error.h"
#include "serve/exchange.h"
#include "serve/explore/judgment_store.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm::explore {
namespace {

using test::message_of;
using test::TemporaryDirectory;

/// An SQLite database of another program.
void make_foreign(const std::string& path) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "CREATE TABLE t(x); INSERT INTO t VALUES(1)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
}

TEST(JudgmentDatabase, ADatabaseOfSomethingElseIsNotTouched) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("other.sqlite");
  make_foreign(path);
  const std::string before = test::content_of(path);
  EXPECT_NE(message_of([&] { JudgmentStore store(path); }, ErrorCode::bad_input).find("a database of something else"),
            std::string::npos);
  EXPECT_EQ(test::content_of(path), before);
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
}

TEST(JudgmentDatabase, APipeIsRefused) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(message_of([&] { JudgmentStore store(path); }).find("no regular file"), std::string::npos);
}

TEST(JudgmentDatabase, AWriterThatHoldsTheFileIsToldOf) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("j.sqlite");
  JudgmentStore store(path);
  store.give("ada", "q", "d", 1.0F);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  try {
    store.give("ada", "q", "d", 2.0F);
    ADD_FAILURE() << "expected a refusal";
  } catch (const serve::Refusal& refusal) {
    EXPECT_EQ(refusal.status(), 503) << refusal.what();
  }
  EXPECT_EQ(store.labels("ada", "q").at("d"), 1.0F) << "reading goes on";
  sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_EQ(store.give("ada", "q", "d", 2.0F).before, 1.0F);
}

}  // namespace
}  // namespace dorm::explore

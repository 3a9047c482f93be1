// SPDX-License-Identifier: Apache-2.0
// What write_atomically() keeps and cleans up, and what require_writable() finds out beforehand.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "dorm/write.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::TemporaryDirectory;

void put_text(const std::string& path, std::string_view text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(ReplacedFiles, KeepTheirPermissions) {
  const TemporaryDirectory directory;
  const mode_t mask = ::umask(022);
  for (const mode_t mode : {0600u, 0640u, 0664u, 0755u, 0400u | 0200u}) {
    const std::string path = directory.write("f", "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    put_text(path, "new");
    EXPECT_EQ(mode_of(path), mode);
    EXPECT_EQ(content_of(path), "new");
  }
  ::umask(mask);
}

TEST(ReplacedFiles, DanglingLinksAreFollowed) {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path("sub"));
  fs::create_symlink("second", directory.path("first"));
  fs::create_symlink("sub/target", directory.path("second"));
  put_text(directory.path("first"), "new");
  EXPECT_TRUE(fs::is_symlink(directory.path("first")) && fs::is_symlink(directory.path("second")));
  EXPECT_EQ(content_of(directory.path("sub/target")), "new");
}

TEST(ReplacedFiles, LinksThatLeadNowhereAreRefused) {
  const TemporaryDirectory directory;
  fs::create_symlink("missing/target", directory.path("lost"));
  fs::create_symlink("b", directory.path("a"));
  fs::create_symlink("a", directory.path("b"));
  for (const char* name : {"lost", "a"}) {
    const std::string path = directory.path(name);
    EXPECT_NE(test::message_of([&] { put_text(path, "x"); }, ErrorCode::io).find(name), std::string::npos);
    EXPECT_NE(test::message_of([&] { require_writable(path); }, ErrorCode::io).find(name), std::string::npos);
    EXPECT_TRUE(fs::is_symlink(path));
  }
  EXPECT_EQ(directory.num_files(), 3u);
}

TEST(LeftOvers, OfDeadProcessesGoWithTheNextWrite) {
  const TemporaryDirectory directory;
  directory.write("f.dorm-0.tmp", "half");
  directory.write("f.dorm-1.tmp", "half");
  directory.write("other.dorm-0.tmp", "not ours");
  put_text(directory.path("f"), "whole");
  EXPECT_EQ(content_of(directory.path("f")), "whole");
  EXPECT_EQ(directory.num_files(), 2u);
}

TEST(LeftOvers, FilesInUseAndLinksAreLeftAlone) {
  const TemporaryDirectory directory;
  const std::string used = directory.write("f.dorm-0.tmp", "being written");
  const int descriptor = ::open(used.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  const std::string precious = directory.write("precious", "data");
  fs::create_symlink(precious, directory.path("f.dorm-1.tmp"));
  put_text(directory.path("f"), "whole");
  ::close(descriptor);
  EXPECT_EQ(content_of(directory.path("f")), "whole");
  EXPECT_EQ(content_of(used), "being written");
  EXPECT_EQ(content_of(precious), "data");
  EXPECT_TRUE(fs::is_symlink(directory.path("f.dorm-1.tmp")));
}

TEST(LeftOvers, ManyWritersOfOneFileLeaveOneWholeFile) {
  const TemporaryDirectory directory;
  std::vector<std::thread> writers;
  for (char name = 'a'; name < 'g'; ++name)
    writers.emplace_back([&, name] {
      for (int k = 0; k < 30; ++k) put_text(directory.path("f"), std::string(10000, name));
    });
  for (std::thread& writer : writers) writer.join();
  const std::string left = content_of(directory.path("f"));
  EXPECT_EQ(left, std::string(10000, left.front()));
  put_text(directory.path("f"), "last");
  EXPECT_EQ(directory.num_files(), 1u);
}

TEST(RequireWritable, SaysBeforehandWhatWritingWouldSay) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("f", "old");
  require_writable(file);
  require_writable(directory.path("new"));
  require_writable("-");
  require_writable("/dev/null");
  EXPECT_EQ(content_of(file), "old");
  EXPECT_EQ(directory.num_files(), 1u);
  for (const std::string& path :
       {directory.path("missing/f"), directory.path(""), directory.path(std::string(252, 'x')), file + "/below"}) {
    EXPECT_FALSE(test::message_of([&] { require_writable(path); }, ErrorCode::io).empty());
    EXPECT_FALSE(test::message_of([&] { put_text(path, "x"); }, ErrorCode::io).empty());
  }
  EXPECT_EQ(directory.num_files(), 1u);
}

}  // namespace
}  // namespace dorm

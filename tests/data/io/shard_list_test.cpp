// SPDX-License-Identifier: Apache-2.0
// A folder of shards is whole, or what is wrong with it is named.
#include "data/io/binary/shard_list.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dorm/data/shard_files.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "support/message_of.h"
#include "support/random_data.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

namespace fs = std::filesystem;

class ShardFolders : public testing::Test {
 protected:
  std::string shards(const std::string& name, std::uint64_t seed) const {
    write_shards(test::random_data({.lengths = std::vector<std::size_t>(9, 4), .seed = seed}), folder_.path(name), 4);
    return folder_.path(name);
  }
  static std::string message(const std::string& words) {
    return test::message_of([&] { files_named_by(words); });
  }
  std::string file(const std::string& folder, std::uint32_t number) const {
    return folder + "/" + shard_file_name(number, 4);
  }

  const test::TemporaryDirectory folder_;
};

TEST_F(ShardFolders, AMissingShardIsNamedWithWhatItHolds) {
  const std::string at = shards("parts", 1), lost = file(at, 1);
  const Dataset part = read_binary(lost);
  EXPECT_EQ(files_named_by(at).size(), 4u);
  fs::remove(lost);
  const std::string expected = lost + ": is missing: " + at + "/shards.json lists 4 files, and this one has " +
                               std::to_string(part.num_queries()) + " queries and " +
                               std::to_string(part.num_documents()) +
                               " documents; copy it there, or convert the data again";
  EXPECT_EQ(message(at), expected);
  EXPECT_EQ(message(at + "/part-*.dorm"), expected);
  EXPECT_EQ(message(at + "/*"), expected);
  // What a pattern leaves out is nothing to miss, nor what other machines hold.
  EXPECT_EQ(files_named_by(at + "/part-0000[023]*").size(), 3u);
  EXPECT_EQ(chosen_files(at, {0, 2}), (std::vector{file(at, 0), file(at, 2)}));
  EXPECT_EQ(test::message_of([&] { chosen_files(at, {1, 2}); }), expected);
  EXPECT_EQ(files_present(at).size(), 3u);
}

TEST_F(ShardFolders, AForeignShardIsNamed) {
  const std::string at = shards("parts", 1), other = shards("other", 2);
  fs::copy_file(file(other, 2), file(at, 2), fs::copy_options::overwrite_existing);
  EXPECT_EQ(message(at), file(at, 2) + ": is not the file that " + at +
                             "/shards.json lists: it is damaged, or of another conversion");
  fs::remove_all(at);
  shards("parts", 1);
  fs::copy_file(file(other, 0), at + "/part-00000-of-00008.dorm");
  EXPECT_EQ(message(at), at + "/part-00000-of-00008.dorm: is no shard of its folder: " + at +
                             "/shards.json does not list it; remove one of them");
}

TEST_F(ShardFolders, WithoutTheirListAllFilesAreExpected) {
  const std::string at = shards("parts", 1);
  fs::remove(at + "/shards.json");
  EXPECT_EQ(files_named_by(at).size(), 4u);
  fs::remove(file(at, 3));
  EXPECT_EQ(message(at),
            file(at, 3) + ": is missing, or has no queries, which " + at +
                "/shards.json would say, but it is missing, too; copy it there, or convert the data again");
}

TEST_F(ShardFolders, ShardsWithoutQueriesAreNotMissed) {
  write_shards(test::random_data({}), folder_.path("few"), 64);
  EXPECT_LE(files_named_by(folder_.path("few")).size(), 3u);
}

TEST_F(ShardFolders, FilesOfOtherNamesAreTakenAsTheyAre) {
  const std::string at = shards("parts", 1);
  fs::create_directory(folder_.path("own"));
  fs::copy_file(file(at, 0), folder_.path("own/a.dorm"));
  EXPECT_EQ(files_named_by(folder_.path("own")).size(), 1u);
}

TEST_F(ShardFolders, ADamagedListIsNamed) {
  const std::string at = shards("parts", 1), list = at + "/shards.json";
  for (const char* text : {"", "{}", "[1]", "{\"format\": \"dorm-shards\", \"version\": 2}",
                           "{\"format\": \"dorm-shards\", \"version\": 1, \"shards\": 4, \"files\": [{\"name\": "
                           "\"../../etc/passwd\", \"queries\": 1, \"documents\": 1, \"checksum\": \"0\"}]}"}) {
    folder_.write("parts/shards.json", text);
    EXPECT_TRUE(message(at).starts_with(list)) << message(at);
  }
}

TEST(ShardList, IsReadAsItIsWritten) {
  const ShardList list{8, {{shard_file_name(3, 8), 5, 70, 0xfedcba9876543210u}, {shard_file_name(7, 8), 1, 2, 1}}};
  const ShardList again = parse_shard_list(to_json(list), "x");
  EXPECT_EQ(again.num_shards, 8u);
  ASSERT_EQ(again.files.size(), 2u);
  EXPECT_EQ(again.files[0].name, list.files[0].name);
  EXPECT_EQ(again.files[0].documents, 70u);
  EXPECT_EQ(again.files[0].checksum, list.files[0].checksum);
  EXPECT_EQ(to_json(again), to_json(list));
}

}  // namespace
}  // namespace dorm

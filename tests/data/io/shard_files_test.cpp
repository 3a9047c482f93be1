// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/rng.h"
#include "data/storage.h"
#include "dorm/data/prepare.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

struct ShardText {
  const char* name;
  std::string text;
  ReadOptions options = {};
};

// 60 queries of 4 documents, their rows scattered; few of the features that `wide` names occur.
std::string letor_rows_text(bool wide) {
  Rng rng(3);
  std::string text;
  for (int i = 0; i < 4; ++i)
    for (int q = 0; q < 60; ++q) {
      text += std::to_string(rng.below(4)) + " qid:q" + std::to_string(q);
      for (int j = 1; j <= 8; ++j) {
        const auto id = wide ? std::to_string(j * 100000 + static_cast<int>(rng.below(3))) : std::to_string(j);
        text += " " + id + ":" + std::to_string(rng.below(9));
      }
      text += " # docid = d" + std::to_string(i) + "\n";
    }
  return text;
}

std::string table_text(bool holes) {
  Rng rng(4);
  std::string text = "qid,label,docid,weight,one,two\n";
  for (int i = 0; i < 200; ++i) {
    const int q = static_cast<int>(rng.below(40));
    text += "query " + std::to_string(q) + "," + std::to_string(rng.below(3)) + ",d" + std::to_string(i) + "," +
            std::to_string(1 + q % 3) + "," + (holes && i % 7 == 0 ? "" : std::to_string(i % 10)) + "," +
            std::to_string(rng.below(100)) + "\n";
  }
  return text;
}

std::string jsonl_text() {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "{\"qid\": \"" + std::to_string(i % 9) + "\", \"label\": " + std::to_string(i % 3) + ", \"features\": [" +
            std::to_string(i) + ", 2]}\n";
  return text;
}

std::vector<ShardText> shard_texts() {
  ReadOptions mean, unlabelled;
  mean.missing = Missing::mean;
  unlabelled.need_labels = false;
  return {{"letor.txt", letor_rows_text(false)}, {"wide.txt", letor_rows_text(true)},
          {"table.csv", table_text(false)},      {"holes.csv", table_text(true), mean},
          {"lines.jsonl", jsonl_text()},         {"bare.csv", "qid,x\na,1\nb,2\na,3\n", unlabelled}};
}

class ShardFiles : public testing::TestWithParam<ShardText> {};

std::vector<Dataset> read_all(const std::string& folder) {
  std::vector<Dataset> parts;
  for (const std::string& file : files_named_by(folder)) parts.push_back(read_binary(file));
  return parts;
}

// The queries as text, whatever their order, with features by name.
std::multiset<std::string> content(const Dataset& data) {
  std::multiset<std::string> all;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      std::string row = std::string(query.id) + " " + std::to_string(query.labels[i]) + " " +
                        std::string(data.document_id(query.first_document + i)) + " " + std::to_string(query.weight);
      for (std::size_t j = 0; j < data.num_features(); ++j)
        if (query.rows.at(i, j) != 0) row += " " + data.feature_name(j) + ":" + std::to_string(query.rows.at(i, j));
      all.insert(row);
    }
  }
  return all;
}

TEST_P(ShardFiles, HoldTheWholeInCanonicalOrder) {
  const test::TemporaryDirectory folder;
  const std::string path = folder.write(GetParam().name, GetParam().text), out = folder.path("out");
  const ShardsWritten written = convert_to_shards(path, out + "/", 8, GetParam().options);
  const std::vector<Dataset> parts = read_all(out);
  EXPECT_EQ(parts.size(), written.files);
  const Dataset whole = read_dataset(path, GetParam().options), joined = join(parts);
  EXPECT_EQ(written.documents, whole.num_documents());
  EXPECT_EQ(written.queries, whole.num_queries());
  EXPECT_EQ(content(joined), content(whole));
  EXPECT_EQ(joined.has_labels(), whole.has_labels());
  EXPECT_EQ(joined.dense(), whole.dense());
  EXPECT_EQ(joined.num_features(), whole.num_features());
  EXPECT_EQ(joined.input().columns, whole.input().columns);
  EXPECT_EQ(joined.input().means, whole.input().means);
  for (const std::string& file : files_named_by(out)) {
    const std::optional<ShardName> name = parse_shard_file_name(file);
    ASSERT_TRUE(name.has_value()) << file;
    EXPECT_EQ(name->num_shards, 8u);
    const Dataset part = read_binary(file);
    EXPECT_EQ(in_canonical_order(part).storage().values.data(), part.storage().values.data());
    for (std::size_t q = 0; q < part.num_queries(); ++q) EXPECT_EQ(shard_of(part.query(q).id, 8), name->number);
  }
}

TEST_P(ShardFiles, DoNotDependOnOrderOrWay) {
  const test::TemporaryDirectory folder;
  const std::string path = folder.write(GetParam().name, GetParam().text);
  convert_to_shards(path, folder.path("streamed"), 8, GetParam().options);
  write_shards(read_dataset(path, GetParam().options), folder.path("held"), 8);
  EXPECT_EQ(join(read_all(folder.path("streamed"))).fingerprint(), join(read_all(folder.path("held"))).fingerprint());
}

INSTANTIATE_TEST_SUITE_P(Formats, ShardFiles, testing::ValuesIn(shard_texts()), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(ShardFilesOfText, SettleWhatIsUnjudgedOverAllRows) {
  const test::TemporaryDirectory folder;
  std::string text;
  for (int q = 0; q < 30; ++q) text += "-1 qid:" + std::to_string(q) + " 1:1\n2 qid:" + std::to_string(q) + " 1:2\n";
  const auto shards = [&](const char* name, const std::string& more, Unjudged rule) {
    folder.write(name, text + more);
    return convert_to_shards(folder.path(name), folder.path(name) + ".d", 4, {}, rule);
  };
  EXPECT_EQ(shards("bad", "", Unjudged::automatic).unjudged, 30u);
  EXPECT_EQ(shards("grade", "0.5 qid:x 1:3\n", Unjudged::automatic).unjudged, 0u);
  const ShardsWritten dropped = shards("drop", "-1 qid:only 1:3\n", Unjudged::drop);
  EXPECT_EQ(dropped.unjudged, 31u);
  EXPECT_EQ(dropped.documents, 30u);
  EXPECT_EQ(dropped.queries, 30u);
  for (const Dataset& part : read_all(folder.path("bad.d")))
    for (std::size_t q = 0; q < part.num_queries(); ++q) EXPECT_EQ(part.query(q).labels[0], 0);
}

TEST(ShardFilesOfText, LeaveNothingBehindWhereSomethingIsWrong) {
  const test::TemporaryDirectory folder;
  folder.write("bad.txt", "1 qid:1 1:1\n0 qid:2 1:x\n");
  const std::string out = folder.path("out");
  EXPECT_EQ(test::message_of([&] { convert_to_shards(folder.path("bad.txt"), out, 4); }),
            folder.path("bad.txt") + ":2:11: found 'x'; expected a number");
  const auto failing = [](const std::string&, const std::function<void(std::ostream&)>&) {
    throw Error(ErrorCode::io, "disk full");
  };
  folder.write("good.txt", "1 qid:1 1:1\n0 qid:2 1:2\n");
  EXPECT_EQ(test::message_of([&] { convert_to_shards(folder.path("good.txt"), out, 4, {}, {}, failing); }),
            "disk full");
  EXPECT_EQ(folder.num_files(), 2u);  // the two texts
  std::filesystem::create_directory(out);
  EXPECT_EQ(convert_to_shards(folder.path("good.txt"), out, 4).documents, 2u);
  EXPECT_EQ(test::message_of([&] { convert_to_shards(folder.path("good.txt"), out, 4); }),
            out + ": is there already; expected a new name, or an empty folder");
  EXPECT_EQ(test::message_of([&] { convert_to_shards(folder.path("good.txt"), out + "/x/y", 4); }),
            out + "/x/y: cannot be written: there is no such folder; create it first");
}

TEST(ShardNames, AreReadAsTheyAreWritten) {
  EXPECT_EQ(shard_file_name(17, 256), "part-00017-of-00256.dorm");
  EXPECT_EQ(parse_shard_file_name("a/b/part-00017-of-00256.dorm")->number, 17u);
  EXPECT_EQ(parse_shard_file_name(shard_file_name(123456, 200000))->num_shards, 200000u);
  for (const char* other :
       {"part-17-of-256.dorm", "part-00256-of-00256.dorm", "part-00001-of-00002.txt", "x.dorm",
        "part-00001-of-00002.dorm.tmp", "part--0001-of-00002.dorm", "part-00001-of-99999999999.dorm"})
    EXPECT_FALSE(parse_shard_file_name(other).has_value()) << other;
}

TEST(ShardNames, PatternsAndFoldersMeanFiles) {
  const test::TemporaryDirectory folder;
  for (const char* name : {"b.dorm", "a.dorm", "c.txt"}) folder.write(name, "x");
  const std::string at = folder.path(".");
  EXPECT_FALSE(names_many_files(at + "/a.dorm"));
  EXPECT_FALSE(names_many_files(at + "/none"));
  EXPECT_TRUE(names_many_files(at));
  EXPECT_TRUE(names_many_files(at + "/*.dorm"));
  EXPECT_EQ(files_named_by(at), (std::vector<std::string>{at + "/a.dorm", at + "/b.dorm"}));
  EXPECT_EQ(files_named_by(at + "/[bc]*"), (std::vector<std::string>{at + "/b.dorm", at + "/c.txt"}));
  EXPECT_EQ(test::message_of([&] { files_named_by(at + "/z*"); }), at + "/z*: no file has such a name");
  std::filesystem::create_directory(folder.path("empty"));
  EXPECT_EQ(test::message_of([&] { files_named_by(at + "/empty"); }),
            at + "/empty: holds no .dorm file; expected some");
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Runs of many chunks, in whatever order, by however many threads. The truth is what the lines were made of.
#include <fmt/format.h>
#include <gtest/gtest.h>
#if __has_include(<lz4frame.h>)
#include <lz4frame.h>
#endif

#include <map>
#include <mutex>

#include "base/rng.h"
#include "dorm/data/read_runs.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using Documents = std::vector<std::pair<std::string, double>>;
using Lists = std::map<std::string, Documents>;

class Collector final : public RunSink {
 public:
  void begin(std::size_t workers) override {
    ++begins;
    most_workers = workers;
    lists.clear();
  }
  bool add(const RunQuery& query, std::size_t worker) override {
    const std::lock_guard lock(mutex_);
    EXPECT_LT(worker, most_workers);
    const auto [place, fresh] = lists.try_emplace(std::string(query.id));
    if (!fresh) return false;
    for (std::size_t i = 0; i < query.documents.size(); ++i)
      place->second.emplace_back(query.documents[i], query.scores[i]);
    return true;
  }

  Lists lists;
  std::size_t begins = 0, most_workers = 0;

 private:
  std::mutex mutex_;
};

struct WrittenRun {
  std::string text;
  Lists lists;
};

/// Lines of queries, `query_of` by line, with blanks, tabs, line ends and numbers as programs write them.
WrittenRun written(std::size_t lines, const std::function<std::size_t(std::size_t)>& query_of) {
  constexpr const char* kBlanks[] = {" ", "\t", "  ", " \t"};
  constexpr const char* kEnds[] = {"\n", "\r\n", " and more\n", "\n\n", "\n# a comment\n", " \n"};
  Rng rng(3);
  WrittenRun run{"\xEF\xBB\xBF", {}};
  for (std::size_t i = 0; i < lines; ++i) {
    const std::string query = fmt::format("q{}", query_of(i)), document = fmt::format("d{}-{}", i, rng.below(1000000));
    const std::string number = i % 3 == 0   ? fmt::format("{}", static_cast<double>(rng.below(1 << 30)) / 7)
                               : i % 3 == 1 ? fmt::format("-{}.5e-3", rng.below(999))
                                            : fmt::format("{}", rng.below(99));
    run.lists[query].emplace_back(document, std::stod(number));
    const char* const blank = kBlanks[i % 11 < 8 ? 0 : i % 11 - 7];
    run.text += fmt::format("{}{}Q0{}{}{}{}{}{} t{}", query, blank, blank, document, blank, i, blank, number,
                            kEnds[i % 17 < 12 ? 0 : i % 17 - 11]);
  }
  return run;
}

Lists listed(const std::vector<RunEntry>& entries) {
  Lists lists;
  for (const RunEntry& entry : entries) lists[entry.query].emplace_back(entry.document, entry.score);
  return lists;
}

void expect_read(const WrittenRun& run, const std::string& name, const std::string& content, std::size_t begins) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write(name, content);
  for (const std::size_t threads : {1, 2, 7}) {
    Collector found;
    EXPECT_EQ(read_run(path, found, {.threads = threads}), "t");
    EXPECT_EQ(found.begins, begins) << threads;
    EXPECT_TRUE(found.lists == run.lists) << threads;
  }
  EXPECT_TRUE(listed(read_run(path)) == run.lists);
}

TEST(RunReader, HandsOnQueriesOfManyChunks) {
  const WrittenRun run = written(30000, [](std::size_t i) { return i / 70; });
  ASSERT_GT(run.text.size(), std::size_t{1} << 19);  // several chunks
  expect_read(run, "r.run", run.text, 1);
  EXPECT_TRUE(listed(parse_run(run.text, "r")) == run.lists);
}

TEST(RunReader, AQueryMayBeLongerThanAChunk) {
  const WrittenRun run = written(40000, [](std::size_t i) { return i < 30 || i > 39000 ? i / 10 : 99999; });
  expect_read(run, "r.run", run.text, 1);
}

TEST(RunReader, ReadsScatteredQueriesOnceMore) {
  const WrittenRun run = written(30000, [](std::size_t i) { return i % 500; });
  expect_read(run, "r.run", run.text, 2);
  const WrittenRun late = written(30000, [](std::size_t i) { return i == 29999 ? 0 : i / 70; });
  expect_read(late, "r.run", late.text, 2);
}

TEST(RunReader, NamesTheFirstFaultWithItsLine) {
  const test::TemporaryDirectory directory;
  std::string text;
  for (std::size_t i = 0; i < 40000; ++i)
    text += i == 21000   ? "q1 Q0 d\n"
            : i == 35000 ? "q1 Q0 d 1 best t\n"
                         : fmt::format("q{} Q0 d{} 1 0.25 tag\n", i / 70, i);
  const std::string path = directory.write("r", text);
  for (const std::size_t threads : {1, 2, 7}) {
    Collector found;
    EXPECT_EQ(test::message_of([&] { read_run(path, found, {.threads = threads}); }, ErrorCode::bad_input),
              path + ":21001:8: found 3 words; expected 6: 'qid Q0 docid rank score tag'");
  }
}

TEST(RunReader, RefusesControlCharactersOnlyWhereTheyAreNul) {
  EXPECT_EQ(parse_run("q Q0 d\x01x 1 2 t\n", "r").front().document, "d\x01x");
  EXPECT_EQ(test::message_of([] { parse_run(std::string_view("q Q0 d\0x 1 2 t\n", 15), "r"); }),
            "r:1:7: found a NUL byte; expected text");
}

TEST(RunReader, ReadsLz4) {
#if __has_include(<lz4frame.h>)
  const WrittenRun run = written(30000, [](std::size_t i) { return i / 70; });
  const std::size_t half = run.text.size() / 2;
  std::string frames;  // two, one after the other
  for (const std::string& part : {run.text.substr(0, half), run.text.substr(half)}) {
    std::string frame(LZ4F_compressFrameBound(part.size(), nullptr), '\0');
    frame.resize(LZ4F_compressFrame(frame.data(), frame.size(), part.data(), part.size(), nullptr));
    frames += frame;
  }
  expect_read(run, "r.run.lz4", frames, 1);
  expect_read(run, "r.run", frames, 1);  // by content
  const test::TemporaryDirectory directory;
  const auto complaint = [&](const std::string& bytes) {
    const std::string path = directory.write("f.lz4", bytes);
    return test::message_of([&] { read_run(path); }, ErrorCode::bad_input).substr(path.size());
  };
  for (const std::size_t left : {std::size_t{5}, frames.size() / 3, frames.size() - 1})
    EXPECT_EQ(complaint(frames.substr(0, left)), ": damaged lz4 data: the file ends early");
  EXPECT_EQ(complaint("q Q0 d 1 2 t\n"), ": the name promises lz4 data, but the content is not");
  std::string altered = frames;
  altered[altered.size() / 4] ^= 0x55;
  altered[5] ^= 0x55;
  EXPECT_TRUE(complaint(altered).starts_with(": damaged lz4 data: ")) << complaint(altered);
#else
  GTEST_SKIP() << "liblz4 is not installed";
#endif
}

}  // namespace
}  // namespace dorm

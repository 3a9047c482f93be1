// SPDX-License-Identifier: Apache-2.0
// Cells that square their number: what is kept, what is computed again, and who is told.
#include "lab/compare/run_cells.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "support/temporary_directory.h"

namespace dorm {
namespace {

struct Squares {
  std::atomic<std::size_t> computed = 0;
  std::string flavour = "plain";
  bool fits = true;

  CellWork work(std::size_t count) {
    return {.count = count,
            .key = [this](std::size_t c) { return flavour + std::to_string(c); },
            .method = [](std::size_t c) { return "square " + std::to_string(c); },
            .compute = [this](std::size_t c, const std::function<bool()>&) -> std::optional<CellRecord> {
              ++computed;
              CellRecord record;
              record.seconds = static_cast<double>(c * c);
              record.test = {{0.25, 0.5}};
              return record;
            },
            .fits = [this](std::size_t, const CellRecord&) { return fits; }};
  }
};

TEST(RunCells, GivesRecordsInTheOrderOfTheCellsWhateverTheThreads) {
  Squares squares;
  const auto records = run_cells(squares.work(50), "", 3, {});
  ASSERT_TRUE(records.has_value());
  for (std::size_t c = 0; c < 50; ++c) {
    EXPECT_EQ((*records)[c].seconds, static_cast<double>(c * c));
    EXPECT_EQ((*records)[c].key, "plain" + std::to_string(c));
  }
}

TEST(RunCells, KeepsWhatWasDoneBeforeItWasStopped) {
  const test::TemporaryDirectory folder;
  Squares squares;
  const auto stop = [](const ComparisonProgress& progress) { return progress.done < 4; };
  EXPECT_FALSE(run_cells(squares.work(10), folder.path("cells"), 1, stop).has_value());
  EXPECT_EQ(squares.computed, 4u);
  ComparisonProgress last;
  const auto watch = [&](const ComparisonProgress& progress) {
    last = progress;
    return true;
  };
  EXPECT_TRUE(run_cells(squares.work(10), folder.path("cells"), 1, watch).has_value());
  EXPECT_EQ(squares.computed, 10u);
  EXPECT_EQ(last.found, 4u);
  EXPECT_EQ(last.done, 10u);
  EXPECT_EQ(last.total, 10u);
  EXPECT_EQ(last.method, "square 9");
}

TEST(RunCells, FindsNoRecordOfAnotherKeyNorADamagedOne) {
  const test::TemporaryDirectory folder;
  Squares squares;
  run_cells(squares.work(3), folder.path("cells"), 1, {});
  squares.flavour = "other";
  run_cells(squares.work(3), folder.path("cells"), 1, {});
  EXPECT_EQ(squares.computed, 6u);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("cells")))
    std::ofstream(entry.path()) << "{";
  run_cells(squares.work(3), folder.path("cells"), 1, {});
  EXPECT_EQ(squares.computed, 9u);
}

TEST(RunCells, ComputesAgainWhatHasBeenEditedOrDoesNotFit) {
  const test::TemporaryDirectory folder;
  Squares squares;
  run_cells(squares.work(1), folder.path("cells"), 1, {});
  const std::string path = std::filesystem::directory_iterator(folder.path("cells"))->path();
  const std::string good = test::content_of(path);
  std::size_t expected = 1;
  for (std::size_t at = 0; at < good.size(); ++at) {  // every digit of the file
    if (!std::isdigit(static_cast<unsigned char>(good[at]))) continue;
    std::string edited = good;
    edited[at] = static_cast<char>('0' + (edited[at] - '0' + 1) % 10);
    std::ofstream(path) << edited;
    run_cells(squares.work(1), folder.path("cells"), 1, {});
    EXPECT_EQ(squares.computed, ++expected) << "edited at " << at;
    EXPECT_EQ(test::content_of(path), good);
  }
  EXPECT_GT(expected, 10u);
  run_cells(squares.work(1), folder.path("cells"), 1, {});
  EXPECT_EQ(squares.computed, expected) << "untouched, it is found";
  squares.fits = false;
  run_cells(squares.work(1), folder.path("cells"), 1, {});
  EXPECT_EQ(squares.computed, expected + 1);
}

TEST(RunCells, LeavesOutACellThatNoticesItIsNoLongerWanted) {
  const test::TemporaryDirectory folder;
  CellWork work = Squares().work(1);
  work.compute = [](std::size_t, const std::function<bool()>& wanted) -> std::optional<CellRecord> {
    if (!wanted()) return std::nullopt;
    return CellRecord{};
  };
  work.key = work.method = [](std::size_t) { return std::string("one"); };
  EXPECT_FALSE(run_cells(work, folder.path("cells"), 1, [](const ComparisonProgress&) { return false; }).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("cells")));
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/train/learning_data.h"

namespace dorm {
namespace {

using test::web_like;

TuneOptions small_grid() {
  TuneOptions options;
  options.C = {10, 1000};
  options.decays = {"measure"};
  options.bounds = {Bound::best};
  options.refine = false;
  options.folds = 3;
  options.train.solve.threads = 1;
  options.train.solve.tolerance = 1e-2;
  return options;
}

std::string text_of(const TuneResult& result) {
  std::string text = to_json(result.model);
  for (const TuneCell& cell : result.cells)
    text += std::string(name_of(cell.bound)) + cell.decay + std::to_string(cell.C) + " " +
            std::to_string(cell.validation) + "\n";
  return text;
}

TEST(Tune, JudgesEveryCellOnTheValidationData) {
  const Dataset data = web_like(1, 50), valid = web_like(2, 40);
  TuneOptions options = small_grid();
  options.decays = {"measure", "power:1"};
  options.bounds = {std::nullopt};
  const TuneResult result = tune(data, options, &valid);
  EXPECT_EQ(result.cells.size(), 2u * 2 * 3);  // C x decay x (best, predicted from two starts)
  EXPECT_EQ(std::count_if(result.cells.begin(), result.cells.end(), [](const TuneCell& c) { return c.chosen; }), 1);
  for (const TuneCell& cell : result.cells) EXPECT_EQ(cell.per_query.size(), valid.num_queries());
}

TEST(Tune, TheRefitIsATrainingWithTheChosenCell) {
  const Dataset data = web_like(1, 50), valid = web_like(2, 40);
  const TuneResult result = tune(data, small_grid(), &valid);
  const auto chosen =
      std::find_if(result.cells.begin(), result.cells.end(), [](const TuneCell& c) { return c.chosen; });
  TrainOptions options = small_grid().train;
  options.C = chosen->C;
  options.bound = chosen->bound;
  options.decay = chosen->decay;
  options.start = chosen->start;
  EXPECT_EQ(to_json(train(data, options, &valid).model), to_json(result.model));
}

TEST(Tune, FoldsJudgeEveryQueryOnce) {
  const Dataset data = web_like(3, 45);
  const TuneResult result = tune(data, small_grid());
  ASSERT_EQ(result.cells.size(), 2u);
  for (const TuneCell& cell : result.cells) EXPECT_EQ(cell.per_query.size(), 45u);
}

TEST(Tune, DoesNotDependOnThreadsOrTheOrderOfC) {
  const Dataset data = web_like(4, 40);
  TuneOptions options = small_grid();
  options.decays = {"measure", "power:1"};
  options.C = {10, 100, 1000};
  const std::string one = text_of(tune(data, options));
  options.train.solve.threads = 4;
  EXPECT_EQ(text_of(tune(data, options)), one);
  options.C = {1000, 10, 100, 10};
  EXPECT_EQ(text_of(tune(data, options)), one);
}

TEST(Tune, RefinesAroundTheBest) {
  TuneOptions options = small_grid();
  options.refine = true;
  const TuneResult result = tune(web_like(5, 40), options);
  EXPECT_EQ(result.cells.size(), 2u + 2 + 2);
}

TEST(Tune, StoppedEarlyItRefitsTheBestCellSoFar) {
  const Dataset data = web_like(6, 40), valid = web_like(7, 30);
  TuneOptions options = small_grid();
  options.C = {10, 100, 1000, 10000};
  std::size_t seen = 0;
  const TuneResult result = tune(data, options, &valid, [&](const TuneProgress& progress) {
    seen = progress.done;
    EXPECT_EQ(progress.total, 4u);
    return progress.done < 2;
  });
  EXPECT_EQ(seen, 2u);
  EXPECT_EQ(result.cells.size(), 2u);
  EXPECT_FALSE(result.model.weights.empty());
}

TEST(Tune, StoppedBeforeAnyCellItSaysSo) {
  const auto stop = [](const TuneProgress&) { return false; };
  EXPECT_THROW(tune(web_like(6, 40), small_grid(), nullptr, stop), Error);
}

TEST(Tune, ValidationWithoutARelevantDocumentIsRefused) {
  const Dataset valid = parse_letor("0 qid:1 1:1 2:1\n0 qid:1 1:2 2:1\n", "valid.txt");
  EXPECT_THROW(tune(web_like(6, 40), small_grid(), &valid), Error);
}

TEST(Tune, WrongGridsAreRefused) {
  const Dataset data = web_like(1, 10);
  const auto expect_refused = [&](auto change) {
    TuneOptions options = small_grid();
    change(options);
    EXPECT_THROW(tune(data, options), Error);
  };
  expect_refused([](TuneOptions& o) { o.C = {}; });
  expect_refused([](TuneOptions& o) { o.C = {10, -1}; });
  expect_refused([](TuneOptions& o) { o.decays = {}; });
  expect_refused([](TuneOptions& o) { o.decays = {"nothing"}; });
  expect_refused([](TuneOptions& o) { o.bounds = {}; });
  expect_refused([](TuneOptions& o) { o.measures = {"map"}; });
  expect_refused([](TuneOptions& o) { o.folds = 1; });
  expect_refused([](TuneOptions& o) { o.folds = 11; });
}

}  // namespace
}  // namespace dorm

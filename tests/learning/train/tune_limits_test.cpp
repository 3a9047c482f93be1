// SPDX-License-Identifier: Apache-2.0
// Tuning that runs out of time, or is stopped: what is cut short, what is kept, and what is told. Clocks count calls,
// so that nothing depends on how fast the machine is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "learning/train/learning_data.h"
#include "learning/tune/kernel_search.h"

namespace dorm {
namespace {

using test::web_like;

TuneOptions limited_grid() {
  TuneOptions options;
  options.curves = {"none"};
  options.train.compute.threads = 1;
  options.train.solve.tolerance = 1e-3;
  options.folds = 3;
  return options;
}

/// A clock that advances by one second whenever it is read.
TimeLimit::Clock ticking() {
  return [looks = std::make_shared<double>(0)] { return (*looks)++; };
}

TuneResult tuned_in(double seconds, TuneOptions options, const Dataset& data, const Dataset* valid,
                    const TuneObserver& observer = {}) {
  options.train.solve.seconds = seconds;
  const RankingTask task(data);
  std::optional<RankingTask> held_out;
  if (valid) held_out.emplace(*valid);
  KernelSearch search(task, options, {options.train.measure}, valid ? &*held_out : nullptr, ticking());
  search.run(observer);
  return search.result();
}

std::size_t pruned(const TuneResult& outcome, Pruned why) {
  return static_cast<std::size_t>(std::count_if(outcome.pruned.begin(), outcome.pruned.end(),
                                                [&](const PrunedPoint& cell) { return cell.why == why; }));
}

TEST(TuneLimit, MoreTimeJudgesMoreCellsAndTheSameOnes) {
  const Dataset data = web_like(1, 40), valid = web_like(2, 30);
  const TuneResult whole = tuned_in(0, limited_grid(), data, &valid);
  EXPECT_EQ(whole.end, TuneEnd::whole);
  std::size_t before = 0, cut = 0;
  for (const double seconds : {20, 60, 150, 400, 1000}) {
    const TuneResult some = tuned_in(seconds, limited_grid(), data, &valid);
    EXPECT_GE(some.points.size(), before);
    EXPECT_EQ(some.num_points(), whole.num_points());
    before = some.points.size();
    for (const GridPoint& cell : some.points) {  // a cell is judged as it would have been, or not at all
      const auto same = std::find_if(whole.points.begin(), whole.points.end(), [&](const GridPoint& other) {
        return other.bound == cell.bound && other.start == cell.start && other.C == cell.C;
      });
      ASSERT_NE(same, whole.points.end());
      EXPECT_EQ(same->validation, cell.validation);
      EXPECT_FALSE(cell.cut_short);
    }
    if (some.points.size() == whole.points.size()) continue;
    EXPECT_EQ(some.end, TuneEnd::time_limit);
    EXPECT_GT(pruned(some, Pruned::not_reached) + pruned(some, Pruned::cut_short), 0u);
    ++cut;
  }
  EXPECT_GE(cut, 2u);
}

TEST(TuneLimit, CheapRankersComeFirst) {
  const Dataset data = web_like(1, 40), valid = web_like(2, 30);
  const TuneResult some = tuned_in(60, limited_grid(), data, &valid);
  ASSERT_EQ(some.end, TuneEnd::time_limit);
  EXPECT_FALSE(some.points.front().bound && some.points.size() == 1);
  EXPECT_TRUE(std::any_of(some.points.begin(), some.points.end(), [](const GridPoint& cell) { return !cell.bound; }));
  EXPECT_GT(pruned(some, Pruned::not_reached), 0u);
}

// Over at once: there is a ranker all the same, from the first cell, which says that it was cut short.
TEST(TuneLimit, HoweverShortTheTimeThereIsARanker) {
  const Dataset data = web_like(1, 30), valid = web_like(2, 20);
  const auto bounds_only = [] {
    TuneOptions options = limited_grid();
    options.initial_models = {};
    return options;
  };
  const auto kernels = [] {
    TuneOptions options = limited_grid();
    options.kernels = {"rbf:gamma=0.1", "rbf:gamma=1"};
    return options;
  };
  for (const TuneOptions& options : {limited_grid(), bounds_only(), kernels()})
    for (const Dataset* judged_on : {&valid, static_cast<const Dataset*>(nullptr)}) {
      const TuneResult outcome = tuned_in(1, options, data, judged_on);
      EXPECT_EQ(outcome.end, TuneEnd::time_limit);
      ASSERT_GE(outcome.points.size(), 1u);
      EXPECT_TRUE(outcome.points.front().cut_short);
      EXPECT_GT(outcome.validated.queries, 0u);
      EXPECT_GT(pruned(outcome, Pruned::not_reached), 0u);
    }
}

TEST(TuneLimit, AKernelThatIsNotReachedIsCountedAmongTheCells) {
  TuneOptions options = limited_grid();
  options.kernels = {"none", "rbf:gamma=1", "poly:degree=2"};
  const Dataset data = web_like(1, 30), valid = web_like(2, 20);
  const TuneResult some = tuned_in(60, options, data, &valid);
  EXPECT_EQ(some.num_points(), 3 * tuned_in(60, limited_grid(), data, &valid).num_points());
  for (const GridPoint& cell : some.points) EXPECT_EQ(cell.kernel, "none");
}

TEST(TuneStop, IsNoticedInsideACell) {
  TuneOptions options = limited_grid();
  options.initial_models = {};
  options.bounds = {Bound::best};
  options.C = {10, 1e6};
  options.train.solve.tolerance = 1e-9;  // the second cell takes many passes
  const Dataset data = web_like(6, 40), valid = web_like(7, 30);
  std::size_t calls = 0, after = 0;
  const TuneResult result = tune(data, options, valid, [&](const TuneProgress& progress) {
    ++calls;
    return progress.done < 1 || ++after < 4;  // three more looks after the first cell
  });
  EXPECT_EQ(result.end, TuneEnd::stopped);
  ASSERT_EQ(result.points.size(), 1u);
  EXPECT_EQ(result.points[0].C, 10);
  ASSERT_EQ(result.pruned.size(), 1u);
  EXPECT_EQ(result.pruned[0].why, Pruned::cut_short);
  EXPECT_LE(after, 6u);
}

TEST(TuneStop, IsNoticedWhileRowsOfAKernelAreComputed) {
  TuneOptions options = limited_grid();
  options.kernels = {"none", "rbf:gamma=1"};
  const Dataset data = web_like(6, 40), valid = web_like(7, 30);
  std::size_t linear = 0;
  const TuneResult result = tune(data, options, valid, [&](const TuneProgress& progress) {
    if (linear == 0) linear = progress.total / 2;
    return progress.done < linear;  // every linear cell is decided: the kernel's turn
  });
  EXPECT_EQ(result.end, TuneEnd::stopped);
  for (const GridPoint& cell : result.points) EXPECT_EQ(cell.kernel, "none");
}

TEST(TuneProgressTold, IsOfCellsOverAllFolds) {
  TuneOptions options = limited_grid();
  options.C = {10, 100};
  const Dataset data = web_like(3, 45);
  TuneProgress last;
  double best = std::numeric_limits<double>::quiet_NaN();
  std::optional<GridPoint> leader;
  bool measured = false;
  const TuneResult result = tune(data, options, {}, [&](const TuneProgress& progress) {
    EXPECT_GE(progress.done, last.done);
    EXPECT_EQ(progress.leader == nullptr, std::isnan(progress.best));
    if (!measured) measured = !std::isnan(progress.seconds_left);
    EXPECT_EQ(measured, !std::isnan(progress.seconds_left));
    last = progress;
    best = progress.best;
    if (progress.leader) leader = *progress.leader;
    return true;
  });
  EXPECT_TRUE(measured);
  EXPECT_EQ(last.done, last.total);
  EXPECT_EQ(last.total, result.num_points());
  double largest = 0;
  for (const GridPoint& cell : result.points)
    if (!cell.degenerate()) largest = std::max(largest, cell.validation);
  EXPECT_EQ(best, largest);
  ASSERT_TRUE(leader);
  EXPECT_EQ(leader->validation, largest);
  EXPECT_EQ(leader->per_query.size(), 45u);
}

TEST(TuneFigure, IsThatOfWhatIsDelivered) {
  const Dataset data = web_like(1, 40), valid = web_like(2, 30);
  const TuneResult result = tune(data, limited_grid(), valid);
  const std::vector<std::string> measures = {"ndcg@10"};
  const MeasureResult expected = evaluate(valid, score(result.model, valid), measures).measures[0];
  EXPECT_NEAR(result.validated.mean, expected.mean, 1e-12);
  EXPECT_NEAR(result.validated.low, expected.low, 1e-12);
  EXPECT_NEAR(result.validated.high, expected.high, 1e-12);
  EXPECT_EQ(result.validated.queries, expected.queries);
}

TEST(TunePruned, SaysByWhichRule) {
  TuneOptions options = limited_grid();
  options.initial_models = {};
  options.bounds = {Bound::best};
  options.C = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};  // not every step can be a better one
  const Dataset data = web_like(1, 50), valid = web_like(2, 40);
  const TuneResult result = tune(data, options, valid);
  EXPECT_EQ(result.num_points(), 12u);
  ASSERT_GT(result.pruned.size(), 0u);
  for (const PrunedPoint& cell : result.pruned) EXPECT_EQ(cell.why, Pruned::no_better);
}

}  // namespace
}  // namespace dorm

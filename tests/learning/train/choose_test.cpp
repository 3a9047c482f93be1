// SPDX-License-Identifier: Apache-2.0
// The choice among hand-made cells.
#include "learning/tune/choose.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dorm/tune.h"

namespace dorm {
namespace {

const double kNan = std::nan("");

GridPoint cell(std::string_view bound, std::string decay, double C, std::vector<double> per_query,
               double explained_risk = 0.5) {
  GridPoint out;
  out.measure = "ndcg@10";
  out.decay = std::move(decay);
  out.bound = parse_bound(bound);
  out.start = InitialModel::ridge;
  out.C = C;
  out.explained_risk = explained_risk;
  out.per_query = std::move(per_query);
  const Moments moments = moments_of(out.per_query);
  out.validation = moments.mean;
  out.standard_error = moments.standard_error;
  return out;
}

// Per-query values around a mean, with noise of +-0.1.
std::vector<double> around(double mean) { return {mean - 0.1, mean + 0.1, mean - 0.1, mean + 0.1}; }
// The same mean, the noise the other way: paired differences of +-0.2.
std::vector<double> against(double mean) { return {mean + 0.1, mean - 0.1, mean + 0.1, mean - 0.1}; }

TEST(Moments, ByHandAndWithoutMissingValues) {
  const Moments moments = moments_of(std::vector<double>{1, kNan, 2, 3});
  EXPECT_DOUBLE_EQ(moments.mean, 2);
  EXPECT_NEAR(moments.standard_error, std::sqrt(1.0 / 3), 1e-12);  // sample variance 1, three values
  EXPECT_EQ(moments_of(std::vector<double>{5}).standard_error, 0);
}

TEST(Choose, BestIsTheLargestFigure) {
  std::vector<GridPoint> cells = {cell("best", "measure", 1000, around(0.5)), cell("best", "log", 10, around(0.6)),
                                  cell("predicted", "measure", 10, around(0.55))};
  TuneOptions options;
  options.choice = Choice::best;
  EXPECT_EQ(&choose(cells, options), &cells[1]);
}

TEST(Choose, SteadyKeepsTheDefaultWithinTheNoiseOfThePairedDifference) {
  TuneOptions options;
  options.choice = Choice::steady;
  // Differences -0.18, +0.22, ...: mean 0.02 with a standard error of 0.115.
  std::vector<GridPoint> noisy = {cell("best", "power:1", 10, around(0.62)),
                                  cell("best", "measure", 1000, against(0.6))};
  EXPECT_EQ(&choose(noisy, options), &noisy[1]);
  // The same means, but the difference is 0.02 in every query: no noise at all.
  std::vector<GridPoint> clear = {cell("best", "power:1", 10, around(0.62)),
                                  cell("best", "measure", 1000, around(0.6))};
  EXPECT_EQ(&choose(clear, options), &clear[0]);
}

TEST(Choose, SteadyPrefersTheFirstBoundThenTheFirstDecayThenTheSmallestC) {
  TuneOptions options;
  options.choice = Choice::steady;
  options.decays = {"measure", "power:1"};
  const auto winner = [&](std::vector<GridPoint> cells) {
    const GridPoint& chosen = choose(cells, options);
    return std::string(name_of(*chosen.bound)) + " " + chosen.decay + " " + std::to_string(static_cast<int>(chosen.C));
  };
  const auto v = around(0.6);
  EXPECT_EQ(winner({cell("predicted", "measure", 1000, v), cell("best", "power:1", 10, v)}), "best power:1 10");
  EXPECT_EQ(winner({cell("best", "power:1", 1000, v), cell("best", "measure", 10, v)}), "best measure 10");
  EXPECT_EQ(winner({cell("best", "measure", 10, v), cell("best", "measure", 5000, v)}), "best measure 10");
  EXPECT_EQ(winner({cell("best", "measure", 10000, v), cell("best", "measure", 100, v)}), "best measure 100");
  options.bounds = {Bound::predicted, Bound::best};
  EXPECT_EQ(winner({cell("best", "measure", 1000, v), cell("predicted", "measure", 10, v)}), "predicted measure 10");
}

TEST(Choose, CellsWithoutInformationAreOutWhereThereIsAnother) {
  for (const Choice choice : {Choice::average, Choice::best, Choice::steady, Choice::one_standard_error}) {
    TuneOptions options;
    options.choice = choice;
    std::vector<GridPoint> cells = {cell("best", "measure", 10, around(0.9), kDegenerate / 2),
                                    cell("predicted", "measure", 1000, around(0.6), 2 * kDegenerate)};
    share_out(cells, options);
    EXPECT_EQ(cells[0].share, 0);
    EXPECT_EQ(cells[1].share, 1);
    cells.erase(cells.begin() + 1);  // nothing else is left
    share_out(cells, options);
    EXPECT_EQ(cells[0].share, 1);
  }
}

TEST(Choose, AStartIsNeverDegenerate) {
  GridPoint ridge = cell("best", "", 1000, around(0.6), kNan);
  ridge.bound.reset();
  std::vector<GridPoint> cells = {cell("best", "measure", 10, around(0.9), 0.0), ridge};
  share_out(cells, {});
  EXPECT_EQ(cells[1].share, 1);
}

TEST(Choose, OneStandardErrorTakesTheSmallestCWithinIt) {
  TuneOptions options;
  options.choice = Choice::one_standard_error;
  // The best has a standard error of 0.0577.
  std::vector<GridPoint> cells = {cell("best", "measure", 1, around(0.5)), cell("best", "measure", 10, around(0.55)),
                                  cell("best", "log", 10, around(0.57)), cell("best", "measure", 100, around(0.6))};
  EXPECT_EQ(&choose(cells, options), &cells[2]);  // of equal C, the better figure
}

TEST(Choose, DoesNotDependOnTheOrderOfTheCells) {
  std::vector<GridPoint> cells;
  for (const char* bound : {"best", "predicted"})
    for (const double C : {10.0, 100.0, 10000.0, 100000.0})
      cells.push_back(cell(bound, "measure", C, C < 1000 ? around(0.6) : against(0.6)));
  for (const Choice choice : {Choice::steady, Choice::one_standard_error}) {
    TuneOptions options;
    options.choice = choice;
    std::vector<GridPoint> turned(cells.rbegin(), cells.rend());
    const GridPoint &a = choose(cells, options), &b = choose(turned, options);
    EXPECT_EQ(a.C, b.C);
    EXPECT_EQ(a.bound, b.bound);
  }
}

}  // namespace
}  // namespace dorm

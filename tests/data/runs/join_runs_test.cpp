// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dorm/error.h"
#include "dorm/fusion/runs.h"

namespace dorm {
namespace {

FusionInput two_runs(FusionScale scale = FusionScale::minmax, Absent absent = Absent::minimum) {
  FusionInput input;
  input.runs = {"a", "b"};
  input.scale = scale;
  input.absent = absent;
  return input;
}

std::vector<std::vector<ListedDocument>> lists() {
  return {{{"d1", 10}, {"d2", 8}, {"d3", 6}}, {{"d4", 0.5}, {"d2", 0.75}}};
}

TEST(JoinLists, MinmaxIsPerListAndAbsentDocumentsGetTheMinimum) {
  const JoinedLists joined = join_lists(lists(), two_runs());
  EXPECT_EQ(joined.documents, (std::vector<std::string_view>{"d1", "d2", "d3", "d4"}));
  EXPECT_EQ(joined.values, (std::vector<float>{1, 0, 0.5f, 1, 0, 0, 0, 0}));
}

TEST(JoinLists, ReciprocalRanksAddUp) {
  const JoinedLists joined = join_lists(lists(), two_runs());
  EXPECT_DOUBLE_EQ(joined.reciprocal_rank[0], 1 / 61.0);
  EXPECT_DOUBLE_EQ(joined.reciprocal_rank[1], 1 / 62.0 + 1 / 61.0);
  EXPECT_DOUBLE_EQ(joined.reciprocal_rank[3], 1 / 62.0);
}

TEST(JoinLists, BelowIsAQuarterOfTheRangeLess) {
  const JoinedLists joined = join_lists(lists(), two_runs(FusionScale::minmax, Absent::below));
  EXPECT_EQ(joined.values, (std::vector<float>{1, -0.25f, 0.5f, 1, 0, -0.25f, -0.25f, 0}));
  const JoinedLists raw = join_lists(lists(), two_runs(FusionScale::none, Absent::below));
  EXPECT_EQ(raw.values, (std::vector<float>{10, 0.4375f, 8, 0.75f, 6, 0.4375f, 5, 0.5f}));
}

TEST(JoinLists, ZscoresOfTheList) {
  const JoinedLists joined = join_lists(lists(), two_runs(FusionScale::zscore));
  const double deviation = std::sqrt(8.0 / 3.0);
  EXPECT_FLOAT_EQ(joined.values[0], static_cast<float>(2 / deviation));
  EXPECT_FLOAT_EQ(joined.values[1], -1);
  EXPECT_FLOAT_EQ(joined.values[3], 1);
  EXPECT_FLOAT_EQ(joined.values[6], static_cast<float>(-2 / deviation));
}

TEST(JoinLists, RanksOfEqualScoresAreThoseOfTheList) {
  const std::vector<std::vector<ListedDocument>> tied = {{{"d2", 1}, {"d1", 1}}, {}};
  const JoinedLists joined = join_lists(tied, two_runs(FusionScale::rank));
  EXPECT_EQ(joined.values, (std::vector<float>{1, 0, static_cast<float>(61 / 62.0), 0}));
}

TEST(JoinLists, AListOfOneScoreCountsWhatItLists) {
  for (const FusionScale scale : {FusionScale::minmax, FusionScale::zscore}) {
    const std::vector<std::vector<ListedDocument>> alike = {{{"d1", 3}, {"d2", 3}}, {{"d3", -7}}};
    const JoinedLists joined = join_lists(alike, two_runs(scale));
    EXPECT_EQ(joined.values, (std::vector<float>{1, 0, 1, 0, 0, 1}));
  }
}

TEST(JoinLists, LargeRangesDoNotOverflow) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::vector<std::vector<ListedDocument>> wide = {{{"d1", kMost}, {"d2", -kMost}, {"d3", 0}}, {}};
  const JoinedLists joined = join_lists(wide, two_runs());
  EXPECT_EQ(joined.values, (std::vector<float>{1, 0, 0, 0, 0.5f, 0}));
}

TEST(JoinLists, FeaturesAddNoDocuments) {
  FusionInput input;
  input.runs = {"a"};
  input.features = {"age"};
  const std::vector<std::vector<ListedDocument>> with_age = {{{"d1", 2}, {"d2", 1}}, {{"d2", 30}, {"d9", 99}}};
  const JoinedLists joined = join_lists(with_age, input);
  EXPECT_EQ(joined.documents.size(), 2u);
  EXPECT_EQ(joined.values, (std::vector<float>{1, 0, 0, 1}));
}

TEST(JoinLists, RefusesDocumentsListedTwiceAndScoresThatAreNoNumbers) {
  const std::vector<std::vector<ListedDocument>> twice = {{{"d1", 2}, {"d1", 1}}, {}};
  const std::vector<std::vector<ListedDocument>> infinite = {{}, {{"d1", std::numeric_limits<double>::infinity()}}};
  EXPECT_THROW(join_lists(twice, two_runs()), Error);
  EXPECT_THROW(join_lists(infinite, two_runs()), Error);
}

TEST(JoinLists, ProductsWithQueryFeaturesStandBehind) {
  FusionInput input = two_runs();
  input.query_features = {{"length", 2, 6}};
  const JoinedLists joined = join_lists(lists(), input, std::vector<double>{0.25});
  ASSERT_EQ(input.num_columns(), 6u);
  const std::vector<float> first(joined.values.begin() + 6, joined.values.begin() + 12);  // d2: 0.5 and 1
  EXPECT_EQ(first, (std::vector<float>{0.5f, 1, 0.125f, 0.25f, 0.375f, 0.75f}));
  EXPECT_EQ(input.shares_of(std::vector<double>{3}), std::vector<double>{0.25});
  EXPECT_EQ(input.shares_of(std::vector<double>{-9}), std::vector<double>{0});
  EXPECT_EQ(input.shares_of(std::vector<double>{7}), std::vector<double>{1});
  const std::vector<double> weights = {0.1, 0.2, 0.4, 0, 0, 0.8};
  const std::vector<double> own = input.weights_at(weights, std::vector<double>{0.25});
  EXPECT_DOUBLE_EQ(own[0], 0.2);
  EXPECT_DOUBLE_EQ(own[1], 0.8);
  EXPECT_THROW(join_lists(lists(), input), Error);
}

TEST(QueryFeatures, HaveTheRangeOfTheJudgedQueriesAndMustDiffer) {
  const SideFeatures table{
      {"length", "same", "language: de"}, IdTable({"q1", "q2", "q3"}), {3, 1, 0, 5, 1, 1, 99, 2, 0}};
  const std::vector<Judgment> judgments = {{"q1", "d", 1}, {"q2", "d", 0}, {"q7", "d", 0}};
  const std::vector<QueryFeature> found = query_features_of(table, judgments);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "length");
  EXPECT_EQ(found[0].low, 3);
  EXPECT_EQ(found[0].high, 5);
  EXPECT_EQ(found[1].name, "language: de");
  EXPECT_THROW(query_features_of(table, std::vector<Judgment>{{"q1", "d", 1}}), Error);
}

std::string join_error(const FusionInput& input, const SideFeatures* table) {
  const std::vector<NamedRun> runs = {{"a", {{"q1", "d1", 1}, {"q1", "d2", 2}}}, {"b", {{"q1", "d1", 1}}}};
  try {
    join_runs(runs, {}, input, {.query_features = table});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(JoinRuns, NeedsTheQueryFeaturesOfEveryQuery) {
  FusionInput input = two_runs();
  input.query_features = {{"length", 2, 6}, {"language: de", 0, 1}};
  EXPECT_EQ(join_error(input, nullptr),
            "the weights depend on the query feature 'length', and there are no query features");
  const SideFeatures other{{"width"}, IdTable({"q1"}), {1}};
  EXPECT_EQ(join_error(input, &other), "no query feature 'length'; found width");
  // A word that no query of the table has is 0; so is one that this query does not have.
  const SideFeatures french{{"length", "language: fr"}, IdTable({"q1"}), {4, 1}};
  EXPECT_EQ(join_error(input, &french), "");
  const SideFeatures nobody{{"length", "language: fr"}, IdTable({"q2"}), {4, 1}};
  EXPECT_EQ(join_error(input, &nobody), "query 'q1': no query features; expected a row for each query of the runs");
}

TEST(JoinRuns, EntriesOfAQueryMayBeAnywhere) {
  const std::vector<NamedRun> together = {{"a", {{"q1", "d1", 3}, {"q1", "d2", 2}, {"q2", "d1", 1}, {"q2", "d3", 0}}},
                                          {"b", {{"q1", "d2", 5}, {"q1", "d4", 4}}}};
  const std::vector<NamedRun> apart = {{"a", {{"q1", "d1", 3}, {"q2", "d1", 1}, {"q1", "d2", 2}, {"q2", "d3", 0}}},
                                       {"b", {{"q1", "d2", 5}, {"q1", "d4", 4}}}};
  for (const std::size_t threads : {1, 3})
    EXPECT_EQ(join_runs(together, {}, two_runs(), {.threads = threads}).data.fingerprint(),
              join_runs(apart, {}, two_runs(), {.threads = threads}).data.fingerprint());
}

TEST(JoinRuns, KeepsJudgmentsOfWhatNoRunLists) {
  const std::vector<NamedRun> runs = {{"a", {{"q2", "d1", 1}, {"q1", "d1", 2}, {"q1", "d2", 1}}},
                                      {"b", {{"q1", "d3", 1}, {"q9", "d1", 1}}}};
  const std::vector<Judgment> judgments = {
      {"q1", "d2", 2}, {"q1", "d7", 1}, {"q1", "d1", 0}, {"q3", "d1", 1}, {"q2", "d5", 3}};
  const JoinedRuns joined = join_runs(runs, judgments, two_runs());
  ASSERT_EQ(joined.data.num_queries(), 3u);
  EXPECT_EQ(joined.judged_queries, 2u);
  EXPECT_EQ(joined.unlisted_queries, 1u);  // q3
  EXPECT_EQ(joined.data.query(0).id, "q1");
  EXPECT_EQ(joined.data.query(1).id, "q2");
  EXPECT_EQ(joined.data.query(2).id, "q9");
  EXPECT_EQ(joined.judged, (std::vector<std::uint8_t>{1, 1, 0, 0, 0}));
  EXPECT_EQ(joined.missed, (std::vector<std::vector<float>>{{1}, {3}}));
  EXPECT_EQ(joined.data.query(0).labels[1], 2);
  EXPECT_EQ(joined.data.query(0).labels[2], 0);  // d3: not judged
}

TEST(JoinRuns, NamesTheQueryOfWhatIsWrong) {
  const std::vector<NamedRun> runs = {{"a", {{"q1", "d1", 1}, {"q1", "d1", 2}}}, {"b", {}}};
  try {
    join_runs(runs, {}, two_runs());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "query 'q1': a: document 'd1' is listed twice; expected each document once");
  }
  const std::vector<Judgment> twice = {{"q1", "d1", 1}, {"q1", "d1", 1}};
  EXPECT_THROW(join_runs(runs, twice, two_runs()), Error);
}

}  // namespace
}  // namespace dorm

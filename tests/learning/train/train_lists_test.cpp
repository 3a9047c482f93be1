// SPDX-License-Identifier: Apache-2.0
// Training of lists, from data to rankings: a planted task of positions, and topic budgets.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/train.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

// Three official sites (label 1), three pages of user content (2) and six others (0) per query; two features say
// what a page is.
Dataset planted(std::size_t queries, double noise, std::uint64_t seed) {
  constexpr float kMeans[3][2] = {{0, 0}, {1.5f, 0.5f}, {-0.5f, 1.5f}};
  Rng rng(seed);
  DatasetBuilder builder;
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t kind = i < 3 ? 1 : i < 6 ? 2 : 0;
      const float row[3] = {kMeans[kind][0] + static_cast<float>(noise * rng.normal()),
                            kMeans[kind][1] + static_cast<float>(noise * rng.normal()),
                            static_cast<float>(rng.normal())};
      builder.add({static_cast<float>(kind), std::to_string(q), std::to_string(100 * q + i)}, row);
    }
  return builder.finish();
}

const LabelGains kGains{2, {0, 1, 2}, {0, 0, 1, 0, 0, 1}};

double test_gain(const PositionModel& model, const Dataset& data) {
  return evaluate_positions(data, gains_of(kGains, data), rank(model, data, 1)).mean;
}

TEST(TrainPositions, APlantedTaskIsRecoveredByAFunctionPerPositionButNotByOne) {
  const Dataset train = planted(40, 0.2, 1), test = planted(100, 0.2, 2);
  const TrainOptions options{.threads = 1};
  const PositionResult both = train_positions(train, gains_of(kGains, train), options);
  const PositionResult one = train_positions(train, gains_of(kGains, train), options, true);
  EXPECT_EQ(both.model.blocks.size(), 2u);
  EXPECT_TRUE(one.model.blocks.empty());
  EXPECT_LE(both.model.shared.certificate.gap, 1e-3);
  EXPECT_GT(test_gain(both.model, test), 0.98);
  EXPECT_LT(test_gain(one.model, test), 0.7);
}

TEST(TrainPositions, SolversReachTheSameObjective) {
  const Dataset data = planted(10, 0.5, 3);
  std::vector<Certificate> certificates;
  for (const char* solver : {"bcda", "nslack", "oneslack"})
    certificates.push_back(train_positions(data, gains_of(kGains, data),
                                           {.C = 10, .rounds = 1, .solver = solver, .tolerance = 1e-4, .threads = 1})
                               .model.shared.certificate);
  for (const Certificate& x : certificates)
    for (const Certificate& y : certificates) EXPECT_LE(x.dual, y.primal * (1 + 1e-7));
  for (const Certificate& x : certificates) EXPECT_LE(x.gap, 1e-4);
}

TEST(TrainPositions, TheModelRanksAlikeAfterSavingAndDoesNotDependOnThreads) {
  const Dataset data = planted(20, 0.6, 4);
  PositionResult result = train_positions(data, gains_of(kGains, data), {.threads = 1});
  result.model.gains = kGains;
  const PositionModel again = position_model_from_json(to_json(result.model), "m");
  EXPECT_EQ(again.blocks, result.model.blocks);
  EXPECT_EQ(again.shared.weights, result.model.shared.weights);
  EXPECT_EQ(again.gains.gain, kGains.gain);
  EXPECT_EQ(rank(again, data, 3), rank(result.model, data, 1));
  EXPECT_EQ(train_positions(data, gains_of(kGains, data), {.threads = 3}).model.blocks, result.model.blocks);
  EXPECT_THROW(model_from_json(to_json(result.model), "m"), Error);
  EXPECT_THROW(position_model_from_json("{}", "m"), Error);
}

TEST(TrainPositions, RefusesWhatItCannotDo) {
  const Dataset data = planted(2, 0.5, 5);
  const PositionGains gains = gains_of(kGains, data);
  EXPECT_THROW(train_positions(data, {2, {1, 2}}, {}), Error);
  EXPECT_THROW(train_positions(data, gains, {.bound = "average"}), Error);
  EXPECT_THROW(train_positions(data, gains, {.start = "pairwise"}), Error);
  EXPECT_THROW(gains_of({2, {0, 1}, {0, 0, 1, 0}}, data), Error);  // no row for label 2
}

TEST(EvaluatePositions, IsTheGainOverTheBestListByHand) {
  const Dataset data = planted(1, 0.1, 6);
  const PositionGains gains = gains_of({2, {0, 1, 2}, {0, 0, 3, 1, 0, 2}}, data);
  Ranking ranking = {0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11};  // official, official: 3 + 1 of 3 + 2
  EXPECT_NEAR(evaluate_positions(data, gains, {ranking}).mean, 0.8, 1e-12);
  ranking = {3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11};  // user content, official: 0 + 1
  EXPECT_NEAR(evaluate_positions(data, gains, {ranking}).mean, 0.2, 1e-12);
}

// Every document takes one unit of its kind; a list of four may hold two of each.
TopicTable kinds(const Dataset& data, double limit) {
  TopicTable table{{"other", "official", "user"}, {4, limit, limit}, {0}, {}};
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (const float label : query.labels) {
      table.shares.push_back({static_cast<std::uint32_t>(label), 1});
      table.first.push_back(table.shares.size());
    }
  }
  return table;
}

TEST(TrainTopics, CertifiesAndNoRankedListBreaksALimit) {
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  const Dataset train = planted(15, 0.5, 7), test = planted(50, 0.5, 8);
  TopicReport report;
  const TrainResult result =
      train_topics(train, kinds(train, 1), 4, {.measure = "ndcg@4", .C = 10}, TopicOptions{}, &report);
  EXPECT_LE(result.model.certificate.gap, 1e-3);
  EXPECT_GT(report.lists, 0u);
  EXPECT_EQ(report.unproven, 0u);
  const std::vector<Ranking> lists = rank_topics(result.model, test, score(result.model, test, 1), kinds(test, 1), 4);
  for (std::size_t q = 0; q < lists.size(); ++q) {
    std::vector<std::size_t> count(3, 0);
    for (const std::uint32_t i : lists[q]) ++count[static_cast<std::size_t>(test.query(q).labels[i])];
    EXPECT_EQ(lists[q].size(), 4u);
    EXPECT_LE(count[1], 1u);
    EXPECT_LE(count[2], 1u);
  }
}

TEST(TrainTopics, RefusesMeasuresThatAreNoSumAndNamesTheQueryWithoutAList) {
  const Dataset data = planted(2, 0.5, 9);
  EXPECT_THROW(train_topics(data, kinds(data, 1), 4, {.measure = "mrr"}), Error);
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  TopicTable tight = kinds(data, 1);
  tight.limits = {1, 1, 1};
  const std::string message = test::message_of([&] { train_topics(data, tight, 4, {.measure = "ndcg@4"}); });
  EXPECT_NE(message.find("query 0: no list of 4 of its 12 documents"), std::string::npos) << message;
}

TEST(RankTopics, WithoutLimitsThatBindIsTheSortedList) {
  const Dataset data = planted(30, 0.5, 10);
  const Model model = train_start(data, "ridge", {.measure = "ndcg@3", .threads = 1});
  const std::vector<double> scores = score(model, data, 1);
  const std::vector<Ranking> lists = rank_topics(model, data, scores, kinds(data, 5), 5);
  for (std::size_t q = 0; q < lists.size(); ++q)
    EXPECT_EQ(lists[q], top_ranking(std::span(scores).subspan(data.first_document(q), 12), 5));
}

}  // namespace
}  // namespace dorm

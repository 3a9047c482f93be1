// SPDX-License-Identifier: Apache-2.0
// Training of lists, from data to rankings: a planted task of positions, and topic budgets.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/read.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "support/message_of.h"
#include "support/random_data.h"
#include "support/temporary_directory.h"

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

struct PositionResult {
  PositionModel model;
  TrainReport report;
};

PositionResult train_positions(const Dataset& data, const PositionGains& gains, const TrainOptions& options,
                               bool one_function = false, const Task& validation = {},
                               const TrainObserver& observer = {}) {
  TrainResult result = train(Task::positions(data, gains, one_function), options, validation, observer);
  return {std::move(*result.positions), std::move(result.report)};
}

TEST(TrainPositions, APlantedTaskIsRecoveredByAFunctionPerPositionButNotByOne) {
  const Dataset train = planted(40, 0.2, 1), test = planted(100, 0.2, 2);
  const TrainOptions options{.compute = {.threads = 1}};
  const PositionResult both = train_positions(train, gains_of(kGains, train), options);
  const PositionResult one = train_positions(train, gains_of(kGains, train), options, true);
  EXPECT_EQ(both.model.blocks.size(), 2u);
  EXPECT_TRUE(one.model.blocks.empty());
  EXPECT_LE(both.model.shared.certificate.gap, 1e-3);
  EXPECT_GT(test_gain(both.model, test), 0.98);
  EXPECT_LT(test_gain(one.model, test), 0.7);
}

// A unit less at every place is the same task.
TEST(TrainPositions, CostsAreLearntAsTheGainsTheyAreTheLackOf) {
  const LabelGains costs{2, {0, 1, 2}, {-1, -1, 0, -1, -1, 0}};
  const Dataset train = planted(40, 0.2, 1), test = planted(100, 0.2, 2);
  const TrainOptions options{.compute = {.threads = 1}};
  const PositionResult by_gain = train_positions(train, gains_of(kGains, train), options);
  const PositionResult by_cost = train_positions(train, gains_of(costs, train), options);
  EXPECT_NEAR(by_cost.model.shared.certificate.primal, by_gain.model.shared.certificate.primal, 1e-3);
  EXPECT_GT(test_gain(by_cost.model, test), 0.98);
  const std::vector<Ranking> rankings = rank(by_cost.model, test, 1);
  EXPECT_NEAR(evaluate_positions(test, gains_of(costs, test), rankings).mean, test_gain(by_cost.model, test), 1e-12);
}

TEST(TrainPositions, SolversReachTheSameObjective) {
  const Dataset data = planted(10, 0.5, 3);
  std::vector<Certificate> certificates;
  for (const char* solver : {"bcda", "nslack", "oneslack"})
    certificates.push_back(train_positions(data, gains_of(kGains, data),
                                           {.C = 10,
                                            .rounds = 1,
                                            .solve = {.solver = parse_solver(solver), .tolerance = 1e-4},
                                            .compute = {.threads = 1}})
                               .model.shared.certificate);
  for (const Certificate& x : certificates)
    for (const Certificate& y : certificates) EXPECT_LE(x.dual, y.primal * (1 + 1e-7));
  for (const Certificate& x : certificates) EXPECT_LE(x.gap, 1e-4);
}

TEST(TrainPositions, TheModelRanksAlikeAfterSavingAndDoesNotDependOnThreads) {
  const Dataset data = planted(20, 0.6, 4);
  PositionResult result = train_positions(data, gains_of(kGains, data), {.compute = {.threads = 1}});
  result.model.gains = kGains;
  const PositionModel again = position_model_from_json(to_json(result.model), "m");
  EXPECT_EQ(again.blocks, result.model.blocks);
  EXPECT_EQ(again.shared.weights, result.model.shared.weights);
  EXPECT_EQ(again.gains.gain, kGains.gain);
  EXPECT_EQ(rank(again, data, 3), rank(result.model, data, 1));
  EXPECT_EQ(train_positions(data, gains_of(kGains, data), {.compute = {.threads = 3}}).model.blocks,
            result.model.blocks);
  EXPECT_THROW(model_from_json(to_json(result.model), "m"), Error);
  EXPECT_THROW(position_model_from_json("{}", "m"), Error);
}

TEST(TrainPositions, RefusesWhatItCannotDo) {
  const Dataset data = planted(2, 0.5, 5);
  const PositionGains gains = gains_of(kGains, data);
  EXPECT_THROW(train_positions(data, {2, {1, 2}}, {}), Error);
  EXPECT_THROW(train_positions(data, gains, {.bound = Bound::average}), Error);
  EXPECT_THROW(train_positions(data, gains, {.kernel = "rbf:gamma=1"}), Error);
  EXPECT_THROW(train_positions(data, gains, {.one_per = "group"}), Error);
  EXPECT_THROW(train_positions(data, gains, {.start = InitialModel::pairwise}), Error);
  EXPECT_THROW(gains_of({2, {0, 1}, {0, 0, 1, 0}}, data), Error);  // no row for label 2
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

TEST(TrainPositions, ValidationChoosesAmongBoundsAndTuningAmongC) {
  const Dataset data = planted(20, 0.8, 4), held_out = planted(20, 0.8, 5);
  const PositionGains gains = gains_of(kGains, data), judged = gains_of(kGains, held_out);
  const Task validation = Task::positions(held_out, judged);
  const PositionResult result = train_positions(data, gains, {.C = 10}, false, validation);
  EXPECT_EQ(result.report.candidates.size(), 2u);  // best and predicted, both from ridge
  double best = 0;
  for (const Candidate& candidate : result.report.candidates) best = std::max(best, candidate.validation);
  EXPECT_EQ(result.model.shared.validation, best);
  EXPECT_NEAR(best, test_gain(result.model, held_out), 1e-12);

  TuneOptions grid;
  grid.C = {0.01, 100};
  grid.decays = {"measure"};
  grid.bounds = {Bound::best};
  grid.folds = 2;
  const TuneResult tuned = tune(Task::positions(data, gains), grid);
  ASSERT_EQ(tuned.points.size(), 2u);
  for (const GridPoint& cell : tuned.points) EXPECT_EQ(cell.per_query.size(), data.num_queries());
  ASSERT_TRUE(tuned.positions);
  EXPECT_EQ(tuned.positions->blocks.size(), 2u);
  EXPECT_EQ(tuned.points[0].measure, "position-gain@2");
}

TEST(TrainPositions, AResumedTrainingEndsWhereAnUnbrokenOneDoes) {
  const Dataset data = planted(30, 1.0, 4);
  const PositionGains gains = gains_of(kGains, data);
  TrainOptions options{.C = 100, .bound = Bound::predicted};
  options.solve.tolerance = 1e-5;
  const PositionModel whole = train_positions(data, gains, options).model;
  const test::TemporaryDirectory directory;
  options.checkpoint = directory.path("lists.checkpoint");
  options.checkpoint_seconds = 0;
  std::size_t reports = 0;
  train_positions(data, gains, options, false, {},
                  [&](const TrainProgress& p) { return !p.solver.evaluated || ++reports < 3; });
  EXPECT_EQ(to_json(train_positions(data, gains, options).model), to_json(whole));
  reports = 0;
  train_positions(data, gains, options, false, {},
                  [&](const TrainProgress& p) { return !p.solver.evaluated || ++reports < 3; });
  PositionGains other = gains;
  other.gain[0] += 1;
  EXPECT_THROW(train_positions(data, other, options), Error) << "the checkpoint is of other gains";
}

TEST(TrainTopics, IsJudgedWithinTheBudgets) {
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  const Dataset data = planted(15, 0.5, 7), held_out = planted(15, 0.5, 8);
  const TopicTable topics = kinds(data, 1), judged = kinds(held_out, 1);
  const Task task = Task::topics(data, topics, 4), validation = Task::topics(held_out, judged, 4);
  const TrainOptions options{.measure = "ndcg@4", .C = 10, .bound = Bound::best};
  const TrainResult result = train(task, options, validation);
  const std::vector<std::string> measures = {"ndcg@4"};
  const std::vector<Ranking> lists = rank_topics(result.model, held_out, score(result.model, held_out, 1), judged, 4);
  EXPECT_NEAR(result.model.validation, evaluate_topics(held_out, lists, 4, judged, measures).measures[0].mean, 1e-12);
  TuneOptions grid;
  grid.train = options;
  grid.C = {1, 10};
  grid.decays = {"measure"};
  grid.bounds = {Bound::best};
  EXPECT_EQ(tune(task, grid, validation).points.size(), 2u);
}

TEST(EvaluatePositions, IsTheGainOverTheBestListByHand) {
  const Dataset data = planted(1, 0.1, 6);
  const PositionGains gains = gains_of({2, {0, 1, 2}, {0, 0, 3, 1, 0, 2}}, data);
  Ranking ranking = {0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11};  // official, official: 3 + 1 of 3 + 2
  EXPECT_NEAR(evaluate_positions(data, gains, {ranking}).mean, 0.8, 1e-12);
  ranking = {3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11};  // user content, official: 0 + 1
  EXPECT_NEAR(evaluate_positions(data, gains, {ranking}).mean, 0.2, 1e-12);
}

TEST(EvaluatePositions, CountsFromTheWorstListWhereItLoses) {
  const Dataset data = planted(1, 0.1, 6);
  const Ranking ranking = {0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11};
  // Official, official gains 3 - 1; the best list official, user 3 + 2, the worst user, official -4 - 1.
  const PositionGains mixed = gains_of({2, {0, 1, 2}, {0, 0, 3, -1, -4, 2}}, data);
  EXPECT_NEAR(evaluate_positions(data, mixed, {ranking}).mean, (2.0 + 5) / (5 + 5), 1e-12);
  // Costs alone: 0 - 2 between the best, 0 - 1, and the worst, -3 - 2.
  const PositionGains costs = gains_of({2, {0, 1, 2}, {-2, -1, 0, -2, -3, -1}}, data);
  EXPECT_NEAR(evaluate_positions(data, costs, {ranking}).mean, (5.0 - 2) / (5 - 1), 1e-12);
  const PositionGains equal = gains_of({2, {0, 1, 2}, {-1, -1, -1, -1, -1, -1}}, data);
  EXPECT_EQ(evaluate_positions(data, equal, {ranking}).skipped, 1u);
}

TEST(TrainTopics, CertifiesAndNoRankedListBreaksALimit) {
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  const Dataset train = planted(15, 0.5, 7), test = planted(50, 0.5, 8);
  const TrainResult result = dorm::train(Task::topics(train, kinds(train, 1), 4), {.measure = "ndcg@4", .C = 10});
  const TopicReport& report = result.report.topics;
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
  EXPECT_THROW(train(Task::topics(data, kinds(data, 1), 4), {.measure = "mrr"}), Error);
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  TopicTable tight = kinds(data, 1);
  tight.limits = {1, 1, 1};
  const std::string message = test::message_of([&] { train(Task::topics(data, tight, 4), {.measure = "ndcg@4"}); });
  EXPECT_NE(message.find("query 0: no list of 4 of its 12 documents"), std::string::npos) << message;
}

TEST(RankTopics, WithoutLimitsThatBindIsTheSortedList) {
  const Dataset data = planted(30, 0.5, 10);
  const Model model = train_initial_model(data, InitialModel::ridge, {.measure = "ndcg@3", .compute = {.threads = 1}});
  const std::vector<double> scores = score(model, data, 1);
  const std::vector<Ranking> lists = rank_topics(model, data, scores, kinds(data, 5), 5);
  for (std::size_t q = 0; q < lists.size(); ++q)
    EXPECT_EQ(lists[q], top_ranking(std::span(scores).subspan(data.first_document(q), 12), 5));
}

}  // namespace
}  // namespace dorm

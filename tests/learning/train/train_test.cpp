// SPDX-License-Identifier: Apache-2.0
// The facade: what a user who calls train() relies on.
#include "dorm/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/learning/memory.h"
#include "dorm/write.h"
#include "learning/train/learning_data.h"
#include "model/features/linear_features.h"
#include "ranking/measure/enumerate.h"
#include "support/message_of.h"
#include "support/random_data.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::mean_of;
using test::web_like;

TEST(Train, ModelsDoNotDependOnTheNumberOfThreads) {
  const Dataset data = web_like(1);
  for (const char* bound : {"best", "predicted", "auto"}) {
    TrainOptions options;
    options.bound = parse_bound_choice(bound);
    options.compute.threads = 1;
    const std::string one = to_json(train(data, options).model);
    for (const std::size_t threads : {2, 4}) {
      options.compute.threads = threads;
      EXPECT_EQ(to_json(train(data, options).model), one) << bound << ", " << threads << " threads";
    }
  }
}

TEST(Train, LearnsToRank) {
  const Dataset data = web_like(2, 150);
  const Model model = train(data).model;
  Model nothing = model;
  std::fill(nothing.weights.begin(), nothing.weights.end(), 0.0);
  EXPECT_EQ(model.certificate.status, "converged");
  EXPECT_LE(model.certificate.gap, 1e-3);
  EXPECT_GT(mean_of(model, data), mean_of(nothing, data) + 0.1);
}

// H of the bound `given` from its definition, ranking by ranking, for ndcg and the decay 1 / sqrt(rank + 1).
double enumerated_bound(std::span<const float> labels, std::span<const double> scores) {
  const auto dcg = [&](const Ranking& ranking) {
    double sum = 0;
    for (std::size_t j = 0; j < ranking.size(); ++j)
      sum += (std::exp2(labels[ranking[j]]) - 1) / std::log2(real(j + 2));
    return sum;
  };
  const auto f = [&](const Ranking& ranking) {
    double sum = 0;
    for (std::size_t j = 0; j < ranking.size(); ++j) sum += scores[ranking[j]] / std::sqrt(real(j + 2));
    return sum;
  };
  Ranking given(labels.size());
  std::iota(given.begin(), given.end(), 0u);
  std::stable_sort(given.begin(), given.end(), [&](std::uint32_t i, std::uint32_t j) { return labels[i] > labels[j]; });
  double highest = -kInfinity;
  test::for_each_ranking(labels.size(), [&](const Ranking& ranking) {
    highest = std::max(highest, 1 - dcg(ranking) / dcg(given) + f(ranking));
  });
  return highest - f(given);
}

// The sum of H over the queries; H(w) needs no more than the weights and the data.
double enumerated_loss(const Dataset& data, std::span<const double> w) {
  double sum = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<double> scores(query.size(), 0.0);
    for (std::size_t i = 0; i < query.size(); ++i)
      for (std::size_t k = 0; k < w.size(); ++k) scores[i] += w[k] * static_cast<double>(query.rows.at(i, k));
    sum += enumerated_bound(query.labels, scores);
  }
  return sum;
}

// The mean squared distance of a row from the mean of its query.
double mean_squared_norm(const Dataset& data) {
  double sum = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t k = 0; k < data.num_features(); ++k) {
      double mean = 0;
      for (std::size_t i = 0; i < query.size(); ++i)
        mean += static_cast<double>(query.rows.at(i, k)) / real(query.size());
      for (std::size_t i = 0; i < query.size(); ++i)
        sum += std::pow(static_cast<double>(query.rows.at(i, k)) - mean, 2);
    }
  }
  return sum / real(data.num_documents());
}

TEST(Train, TheCertificateFollowsFromTheWeights) {
  const Dataset data = test::random_data({.lengths = {4, 5, 3, 6}, .features = 3, .seed = 3});
  for (const bool paper_C : {true, false}) {
    SCOPED_TRACE(paper_C ? "C of the paper" : "C per query, of features in unit scale");
    TrainOptions options{.measure = "ndcg", .C = 2, .paper_C = paper_C, .decay = "power:0.5", .bound = Bound::given};
    options.scale = "none";
    const Model model = train(data, options).model;
    ASSERT_EQ(model.data.usable_queries, 4u);
    const double unit = paper_C ? 1 : mean_squared_norm(data), weight = paper_C ? 2 : 2 / 4.;
    const auto objective = [&](std::span<const double> w) {
      return 0.5 * unit * std::inner_product(w.begin(), w.end(), w.begin(), 0.0) + weight * enumerated_loss(data, w);
    };
    const double primal = objective(model.weights);
    EXPECT_NEAR(model.certificate.primal, primal, 1e-6 * primal);
    EXPECT_NEAR(model.certificate.gap, (primal - model.certificate.dual) / primal, 1e-6);
    Rng rng(1);
    for (int k = 0; k < 100; ++k) {  // the dual stays below the objective, wherever that is taken
      std::vector<double> w = model.weights;
      for (double& x : w) x += 0.1 * rng.normal();
      EXPECT_LE(model.certificate.dual, objective(w));
    }
  }
}

// 1/2 |w|^2 + (C/m) sum H over features of unit mean squared norm: the unit of the features cancels.
TEST(Train, TheUnitOfTheFeaturesDoesNotMatter) {
  test::RandomData shape{.lengths = std::vector<std::size_t>(30, 9), .features = 6, .seed = 9};
  TrainOptions options;
  options.scale = "none";
  options.solve.tolerance = 1e-6;
  options.bound = Bound::best;
  const Dataset data = test::random_data(shape);
  shape.factor = 10;
  const Dataset tenfold = test::random_data(shape);
  const TrainResult small = train(data, options), large = train(tenfold, options);
  EXPECT_NEAR(small.model.certificate.primal, large.model.certificate.primal, 1e-5 * small.model.certificate.primal);
  const std::vector<double> a = score(small.model, data), b = score(large.model, tenfold);
  double spread = 0;
  for (const double x : a) spread = std::max(spread, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-2 * spread);
}

// C / m sum H on features times s equals C s^2 / m sum H on the features as they are.
TEST(Train, ThePapersCIsTheSameProblemInOtherUnits) {
  const Dataset data = test::random_data({.lengths = std::vector<std::size_t>(20, 8), .seed = 2});
  const double norm = LinearFeatures(data).centred_norm(1);
  TrainOptions options;
  options.scale = "none";
  options.bound = Bound::given;
  const TrainResult ours = train(data, options);
  options.paper_C = true;
  options.C = options.C / norm / static_cast<double>(ours.model.data.usable_queries);
  const Model paper = train(data, options).model;
  for (std::size_t j = 0; j < paper.weights.size(); ++j) EXPECT_NEAR(paper.weights[j], ours.model.weights[j], 1e-9);
  EXPECT_NEAR(paper.certificate.primal, ours.model.certificate.primal / norm, 1e-9 * paper.certificate.primal);
}

TEST(Train, TextAndBinaryDataGiveTheSameModel) {
  const test::TemporaryDirectory directory;
  const Dataset data = web_like(5, 30);
  write_dataset(data, directory.path("data.txt"));
  write_dataset(data, directory.path("data.dorm"));
  TrainOptions options;
  options.bound = Bound::best;
  const std::string text = to_json(train(read_dataset(directory.path("data.txt")), options).model);
  EXPECT_EQ(to_json(train(read_dataset(directory.path("data.dorm")), options).model), text);
}

TEST(Train, CompressedAndDenseDataAgree) {
  test::RandomData shape{.lengths = std::vector<std::size_t>(25, 10), .features = 12, .density = 0.7, .seed = 6};
  const Dataset dense = test::random_data(shape);
  shape.sparse = true;
  const Dataset sparse = test::random_data(shape);
  ASSERT_NE(dense.dense(), sparse.dense());
  TrainOptions options;
  options.scale = "none";
  options.bound = Bound::best;
  options.solve.tolerance = 1e-5;
  const Certificate a = train(dense, options).model.certificate, b = train(sparse, options).model.certificate;
  EXPECT_NEAR(a.primal, b.primal, 2e-5 * a.primal);
}

TEST(Train, ValidationPicksTheCandidate) {
  const Dataset data = web_like(6), valid = web_like(7);
  const TrainResult result = train(data, {}, valid);
  ASSERT_EQ(result.report.candidates.size(), 3u);  // best, predicted from ridge, predicted from pairwise
  const auto chosen = std::find_if(result.report.candidates.begin(), result.report.candidates.end(),
                                   [](const Candidate& c) { return c.chosen(); });
  for (const Candidate& candidate : result.report.candidates) EXPECT_LE(candidate.validation, chosen->validation);
  EXPECT_DOUBLE_EQ(result.model.validation, mean_of(result.model, valid));
}

TEST(Train, ValidationIsTheFigureOfTheModel) {
  const Dataset data = web_like(8), valid = web_like(9);
  for (const char* scale : {"none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore"})
    for (const bool tight : {false, true}) {
      TrainOptions options;
      options.scale = scale;
      options.bound = Bound::best;
      if (tight) options.compute.memory = forecast_memory(data, options, valid).least() + 20'000;
      const Model model = train(data, options, valid).model;
      EXPECT_EQ(model.validation, mean_of(model, valid)) << scale;
    }
}

TEST(Train, ValidationDataMustHaveTheNamedFeatures) {
  const Dataset data = parse_csv("label,qid,a,b\n1,1,1,3\n0,1,2,1\n1,2,1,2\n0,2,3,5\n", "train.csv");
  const Dataset valid = parse_csv("label,qid,a\n1,1,1\n0,1,2\n", "valid.csv");
  const std::string message = test::message_of([&] { train(data, {}, valid); });
  EXPECT_NE(message.find("feature \"b\""), std::string::npos) << message;
}

TEST(Train, StoppingByTheObserverReturnsAUsableModel) {
  const Dataset data = web_like(8);
  for (const std::size_t stop_at : {1, 2, 3, 5}) {
    std::size_t calls = 0;
    TrainOptions options;
    options.bound = Bound::predicted;
    options.solve.tolerance = 1e-6;
    const TrainResult result = train(data, options, {}, [&](const TrainProgress&) { return ++calls < stop_at; });
    EXPECT_EQ(result.model.certificate.status, "interrupted");
    EXPECT_EQ(result.report.candidates.size(), 1u) << "a second candidate was tried after the stop";
    EXPECT_LE(result.model.certificate.dual, result.model.certificate.primal);
    EXPECT_EQ(model_from_json(to_json(result.model), "m").weights, result.model.weights);
  }
}

TEST(Train, ATimeLimitReturnsAUsableModel) {
  TrainOptions options;
  options.bound = Bound::predicted;
  options.solve.tolerance = 1e-7;
  options.solve.seconds = 1e-6;
  const TrainResult result = train(web_like(9), options);
  EXPECT_EQ(result.model.certificate.status, "time_limit");
  EXPECT_EQ(result.report.candidates.size(), 1u);
}

TEST(Train, QueriesWithoutInformationAreDroppedAndCounted) {
  const Dataset data =
      parse_letor("1 qid:1 1:1 2:3\n0 qid:1 1:2 2:1\n0 qid:2 1:1 2:2\n0 qid:2 1:3 2:5\n2 qid:3 1:1 2:1\n", "data.txt");
  const TrainResult result = train(data);
  EXPECT_EQ(result.report.dropped_queries, 2u);
  EXPECT_EQ(result.model.data.usable_queries, 1u);
  EXPECT_EQ(result.model.data.queries, 3u);
}

TEST(Train, RefusesDataItCannotLearnFrom) {
  const auto message_of = [](const Dataset& data) {
    return test::message_of([&] { train(data); }, ErrorCode::bad_input);
  };
  EXPECT_NE(message_of(parse_letor("0 qid:1 1:1\n0 qid:1 1:2\n", "d")).find("no query to learn"), std::string::npos);
  EXPECT_NE(message_of(parse_letor("0 qid:1 1:.1\n1 qid:1 1:.1\n2 qid:1 1:.1\n", "d")).find("constant"),
            std::string::npos);
  EXPECT_THROW(train(Dataset()), Error);
}

// Ties in file order let the adversary sort for free what the reference may not: the exact optimum is w = 0.
TEST(Trap, TheLiteralBoundOnRealDataIsOptimalAtZeroAndSaysSo) {
  const std::string path = test::real_data("mq2008/S1.txt.gz");
  if (path.empty()) GTEST_SKIP() << "no mq2008 in DORM_DATA";
  const Dataset data = read_letor(path);
  TrainOptions options;
  options.bound = Bound::given;
  options.decay = "power:0.5";
  options.solve.tolerance = 1e-4;
  const TrainResult literal = train(data, options);
  ASSERT_EQ(literal.report.warnings.size(), 1u);
  EXPECT_NE(literal.report.warnings[0].find("the best model under this bound is w = 0"), std::string::npos);
  const TrainResult usual = train(data);
  EXPECT_TRUE(usual.report.warnings.empty());
  Model nothing = usual.model;
  std::fill(nothing.weights.begin(), nothing.weights.end(), 0.0);
  EXPECT_GT(mean_of(usual.model, data), mean_of(nothing, data) + 0.1);
}

}  // namespace
}  // namespace dorm

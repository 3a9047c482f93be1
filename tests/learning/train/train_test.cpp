// SPDX-License-Identifier: Apache-2.0
// The facade: what a user who calls train() relies on.
#include "dorm/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dorm/error.h"
#include "dorm/write.h"
#include "learning/train/learning_data.h"
#include "model/features/linear_features.h"
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
    options.bound = bound;
    options.threads = 1;
    const std::string one = to_json(train(data, options).model);
    for (const std::size_t threads : {2, 4}) {
      options.threads = threads;
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

TEST(Train, TheCertificateFollowsFromTheWeights) {
  const Dataset data = web_like(4);
  TrainOptions options;
  options.bound = "given";
  options.C = 20;
  const TrainResult result = train(data, options);
  EXPECT_NEAR(result.report.solve.primal, result.model.certificate.primal, 1e-12 * result.model.certificate.primal);
  EXPECT_NEAR(result.model.certificate.gap, 1 - result.model.certificate.dual / result.model.certificate.primal, 1e-12);
}

// 1/2 |w|^2 + (C/m) sum H over features of unit mean squared norm: the unit of the features cancels.
TEST(Train, TheUnitOfTheFeaturesDoesNotMatter) {
  test::RandomData shape{.lengths = std::vector<std::size_t>(30, 9), .features = 6, .seed = 9};
  TrainOptions options;
  options.scale = "none";
  options.tolerance = 1e-6;
  options.bound = "best";
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
  options.bound = "given";
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
  options.bound = "best";
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
  options.bound = "best";
  options.tolerance = 1e-5;
  const Certificate a = train(dense, options).model.certificate, b = train(sparse, options).model.certificate;
  EXPECT_NEAR(a.primal, b.primal, 2e-5 * a.primal);
}

TEST(Train, ValidationPicksTheCandidate) {
  const Dataset data = web_like(6), valid = web_like(7);
  const TrainResult result = train(data, {}, &valid);
  ASSERT_EQ(result.report.candidates.size(), 3u);  // best, predicted from ridge, predicted from pairwise
  const auto chosen = std::find_if(result.report.candidates.begin(), result.report.candidates.end(),
                                   [](const Candidate& c) { return c.chosen; });
  for (const Candidate& candidate : result.report.candidates) EXPECT_LE(candidate.validation, chosen->validation);
  EXPECT_DOUBLE_EQ(result.model.validation, mean_of(result.model, valid));
}

TEST(Train, ValidationDataMustHaveTheNamedFeatures) {
  const Dataset data = parse_csv("label,qid,a,b\n1,1,1,3\n0,1,2,1\n1,2,1,2\n0,2,3,5\n", "train.csv");
  const Dataset valid = parse_csv("label,qid,a\n1,1,1\n0,1,2\n", "valid.csv");
  const std::string message = test::message_of([&] { train(data, {}, &valid); });
  EXPECT_NE(message.find("feature \"b\""), std::string::npos) << message;
}

TEST(Train, StoppingByTheObserverReturnsAUsableModel) {
  const Dataset data = web_like(8);
  for (const std::size_t stop_at : {1, 2, 3, 5}) {
    std::size_t calls = 0;
    TrainOptions options;
    options.bound = "predicted";
    options.tolerance = 1e-6;
    const TrainResult result = train(data, options, nullptr, [&](const TrainProgress&) { return ++calls < stop_at; });
    EXPECT_EQ(result.model.certificate.status, "interrupted");
    EXPECT_EQ(result.report.candidates.size(), 1u) << "a second candidate was tried after the stop";
    EXPECT_LE(result.model.certificate.dual, result.model.certificate.primal);
    EXPECT_EQ(model_from_json(to_json(result.model), "m").weights, result.model.weights);
  }
}

TEST(Train, ATimeLimitReturnsAUsableModel) {
  TrainOptions options;
  options.bound = "predicted";
  options.tolerance = 1e-7;
  options.seconds = 1e-6;
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
  options.bound = "given";
  options.decay = "power:0.5";
  options.tolerance = 1e-4;
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

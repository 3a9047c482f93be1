// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/model.h"
#include "dorm/read.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

Model linear(std::vector<std::string> features, std::vector<double> weights) {
  Model model;
  model.features = std::move(features);
  model.weights = std::move(weights);
  model.measure = "ndcg@10";
  return model;
}

Dataset csv(const std::string& text) { return parse_csv(text, "data.csv"); }

std::string message_of(const Model& model, const Dataset& data) {
  return test::message_of([&] { score(model, data); }, ErrorCode::bad_input);
}

TEST(Score, FeaturesAreMatchedByNameInAnyOrder) {
  const Model model = linear({"a", "b"}, {1, 10});
  EXPECT_EQ(score(model, csv("label,qid,a,b\n1,q,2,3\n0,q,4,5\n")), (std::vector<double>{32, 54}));
  EXPECT_EQ(score(model, csv("label,qid,b,x,a\n1,q,3,99,2\n0,q,5,99,4\n")), (std::vector<double>{32, 54}));
}

TEST(Score, ANamedFeatureThatIsMissingIsNamed) {
  const Dataset data = csv("label,qid,a\n1,q,2\n0,q,3\n");
  EXPECT_NE(message_of(linear({"a", "b"}, {1, 10}), data).find("feature \"b\""), std::string::npos);
  EXPECT_NO_THROW(score(linear({"a", "b"}, {1, 0}), data)) << "a weight of 0 needs no feature";
}

TEST(Score, NumberedDataLacksNamedFeatures) {
  const Dataset data = parse_letor("1 qid:1 1:2\n0 qid:1 1:3\n", "data.txt");
  EXPECT_NE(message_of(linear({"bm25"}, {1}), data).find("feature \"bm25\""), std::string::npos);
}

TEST(Score, NumberedFeaturesMayBeAbsentOrUnknown) {
  const Dataset data = parse_letor("1 qid:1 1:2 3:100\n0 qid:1 3:5\n", "data.txt");
  EXPECT_EQ(score(linear({"1", "2"}, {10, 1000}), data), (std::vector<double>{20, 0}));
}

TEST(Score, ScalingIsAppliedAndAbsentFeaturesAreScaledZeros) {
  Model model = linear({"1", "2"}, {1, 1});
  model.scaling = {ScalingKind::zscore, {1, 4}, {2, 0.5}};
  const Dataset data = parse_letor("1 qid:1 1:3 5:9\n0 qid:1 1:0 5:9\n", "data.txt");  // feature 2 never occurs
  const std::vector<double> scores = score(model, data);
  EXPECT_NEAR(scores[0], (3 - 1) * 2 + (0 - 4) * 0.5, 1e-14);
  EXPECT_NEAR(scores[1], (0 - 1) * 2 + (0 - 4) * 0.5, 1e-14);
}

TEST(Score, PerQueryScalingUsesTheQueryAtHand) {
  Model model = linear({"1"}, {1});
  model.scaling.kind = ScalingKind::query_minmax;
  const Dataset data = parse_letor("1 qid:1 1:3\n0 qid:1 1:1\n1 qid:2 1:30\n0 qid:2 1:10\n0 qid:2 1:20\n", "data.txt");
  const std::vector<double> scores = score(model, data), expected = {1, 0, 1, 0, 0.5};
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected[i], 1e-14);
}

TEST(Score, IsTheSameAfterSaveAndLoadAndOnAnyThreads) {
  const Dataset data = test::random_data({.lengths = std::vector<std::size_t>(30, 8), .features = 13, .seed = 4});
  std::vector<std::string> names;
  std::vector<double> weights;
  Rng rng(2);
  for (std::size_t j = 0; j < 13; ++j) names.push_back(data.feature_name(j)), weights.push_back(rng.normal());
  const Model model = linear(names, weights);
  const std::vector<double> once = score(model, data, 1);
  EXPECT_EQ(score(model_from_json(to_json(model), "m"), data, 4), once);
}

TEST(Score, DenseAndCompressedDataAgree) {
  const test::RandomData options{.lengths = {9, 5}, .features = 7, .density = 0.4, .seed = 3};
  test::RandomData compressed = options;
  compressed.sparse = true;
  const Dataset dense = test::random_data(options), sparse = test::random_data(compressed);
  ASSERT_NE(dense.dense(), sparse.dense());
  std::vector<std::string> names;
  for (std::size_t j = 0; j < 7; ++j) names.push_back(dense.feature_name(j));
  const Model model = linear(names, {1, -2, 3, 0.5, 0.25, -1, 7});
  const std::vector<double> a = score(model, dense), b = score(model, sparse);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
}

TEST(Score, AScoreThatOverflowsIsRefusedWithItsDocument) {
  const Dataset data = parse_letor("1 qid:a 1:1\n0 qid:b 1:1\n0 qid:b 1:1e30\n", "data.txt");
  EXPECT_NE(message_of(linear({"1"}, {1e300}), data).find("document 2 of query b is not finite"), std::string::npos);
}

TEST(Score, NoDocumentsNoScores) { EXPECT_TRUE(score(linear({"1"}, {1}), Dataset()).empty()); }

}  // namespace
}  // namespace dorm

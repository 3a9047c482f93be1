// SPDX-License-Identifier: Apache-2.0
// Statistics and fingerprint of one visit: those of plain loops, in either form of the data, for any number of threads.
#include "data/scale/survey.h"

#include <gtest/gtest.h>

#include "dorm/data/scale.h"
#include "support/feature_statistics.h"
#include "support/random_data.h"

namespace dorm {
namespace {

std::vector<Dataset> sets() {
  std::vector<Dataset> sets;
  for (const std::size_t features : {1, 7, 40})
    for (const bool sparse : {false, true})
      sets.push_back(test::random_data({.lengths = {30, 1, 12, 7, 55, 3, 9, 2, 4, 20, 6, 8, 17, 5, 3, 2, 11, 40, 9, 6},
                                        .features = features,
                                        .density = 0.6,
                                        .seed = features,
                                        .sparse = sparse,
                                        .factor = 1000}));
  sets.push_back(test::random_data({.lengths = {3}}));
  const Dataset compressed = sets[1];
  sets.push_back(apply_scaling(fit_scaling(ScalingKind::zscore, compressed), compressed, 1));  // above a background
  return sets;
}

TEST(Survey, FindsWhatPlainLoopsFind) {
  for (const Dataset& data : sets()) {
    Survey survey(data);
    survey.add_all(1);
    EXPECT_EQ(survey.fingerprint(), data.fingerprint());
    test::expect_statistics(survey.statistics(), test::plain_statistics(data));
  }
}

TEST(Survey, IsTheSameForAnyNumberOfThreads) {
  for (const Dataset& data : sets()) {
    Survey one(data), many(data);
    one.add_all(1);
    many.add_all(5);
    EXPECT_EQ(one.fingerprint(), many.fingerprint());
    EXPECT_EQ(one.statistics().mean, many.statistics().mean);
  }
}

TEST(Survey, TheMeanOfAConstantIsTheConstant) {
  DatasetBuilder builder;
  for (std::size_t i = 0; i < 1000; ++i) builder.add({0, std::to_string(i % 50)}, std::vector<float>{0.1f, -3e38f});
  const Dataset data = builder.finish();
  Survey survey(data);
  survey.add_all(1);
  const FeatureStatistics found = survey.statistics();
  EXPECT_EQ(found.mean, found.minimum);
  EXPECT_EQ(found.mean, found.maximum);
}

TEST(FeatureStatistics, AddUpByDocuments) {
  FeatureStatistics sum = {{1, -2}, {5, 0}, {2, -1}};
  sum.add(3, {{0, -1}, {4, 9}, {1, 5}}, 1);
  EXPECT_EQ(sum.minimum, (std::vector<double>{0, -2}));
  EXPECT_EQ(sum.maximum, (std::vector<double>{5, 9}));
  EXPECT_EQ(sum.mean, (std::vector<double>{1.75, 0.5}));
  sum.add(4, {}, 0);  // of no documents
  EXPECT_TRUE(sum.known());
  sum.add(4, {}, 2);  // not known
  EXPECT_FALSE(sum.known());
}

}  // namespace
}  // namespace dorm

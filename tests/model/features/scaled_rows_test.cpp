// SPDX-License-Identifier: Apache-2.0
// Rows scaled where they are visited are those of the scaled copy, bit for bit, whatever is kept.
#include "model/features/scaled_rows.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "model/features/linear_features.h"
#include "support/random_data.h"

namespace dorm {
namespace {

Dataset many_queries() {
  std::vector<std::size_t> lengths;
  for (std::size_t q = 0; q < 60; ++q) lengths.push_back(1 + q % 13);
  return test::random_data({.lengths = lengths, .features = 21, .seed = 5});
}

constexpr ScalingKind kKinds[] = {ScalingKind::zscore, ScalingKind::minmax, ScalingKind::query_minmax,
                                  ScalingKind::log_zscore, ScalingKind::log_query_zscore};

void expect_rows_of(const ScaledRows& rows, const Dataset& copy, std::size_t q) {
  const ScaledRows::View view = rows.query(q);
  const Query query = copy.query(q);
  ASSERT_EQ(view.rows().rows, query.size());
  for (std::size_t i = 0; i < query.size(); ++i)
    for (std::size_t j = 0; j < copy.num_features(); ++j)
      ASSERT_EQ(view.rows().data[i * view.rows().stride + j], query.rows.at(i, j)) << q;
}

TEST(ScaledRows, AreThoseOfTheCopyWhateverIsKept) {
  const Dataset data = many_queries();
  for (const ScalingKind kind : kKinds) {
    const Scaling scaling = fit_scaling(kind, data);
    const Dataset copy = apply_scaling(scaling, data);
    for (const std::uint64_t kept : {std::uint64_t{0}, dense_bytes(data) / 3, 2 * dense_bytes(data)}) {
      const ScaledRows rows(data, scaling, kept, 2);
      for (const std::size_t q : {0, 3, 59, 3, 3, 58, 59, 0}) expect_rows_of(rows, copy, q);
      parallel_for(60, 4, [&](std::size_t q, std::size_t) {
        expect_rows_of(rows, copy, q);
        expect_rows_of(rows, copy, q);
      });
    }
  }
}

TEST(ScaledRows, TwoViewsHaveRowsOfTheirOwn) {
  const Dataset data = many_queries();
  const Scaling scaling = fit_scaling(ScalingKind::log_query_zscore, data);
  const Dataset copy = apply_scaling(scaling, data);
  const ScaledRows rows(data, scaling, 0, 1);
  const ScaledRows::View held = rows.query(7);
  expect_rows_of(rows, copy, 8);
  expect_rows_of(rows, copy, 7);
  for (std::size_t j = 0; j < copy.num_features(); ++j) EXPECT_EQ(held.rows().data[j], copy.query(7).rows.at(0, j));
}

TEST(ScaledRows, AScalingOfOtherFeaturesIsRefused) {
  const Scaling scaling = fit_scaling(ScalingKind::zscore, test::random_data({.lengths = {3}, .features = 4}));
  EXPECT_THROW(ScaledRows(many_queries(), scaling, 0, 1), Error);
}

TEST(LinearFeatures, OnVisitAreThoseOfTheScaledCopy) {
  const Dataset data = many_queries();
  std::vector<double> w(data.num_features());
  Rng rng(2);
  for (double& x : w) x = rng.normal();
  for (const ScalingKind kind : kKinds) {
    const Scaling scaling = fit_scaling(kind, data);
    const LinearFeatures copy(apply_scaling(scaling, data)), visited(data, scaling, dense_bytes(data) / 2, 2);
    EXPECT_EQ(visited.centred_norm(2), copy.centred_norm(1));
    const std::vector<std::size_t> some = {40, 2, 59};
    const LinearFeatures selected = visited.select(some).select({2, 1});
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      std::vector<double> a(data.query(q).size()), b(a.size());
      visited.scores(q, w, a);
      copy.scores(q, w, b);
      EXPECT_EQ(a, b);
      Plane of_visited, of_copy;
      PullBackWorkspace workspace;
      visited.pull_back(q, b, of_visited, workspace);
      copy.pull_back(q, b, of_copy, workspace);
      EXPECT_EQ(of_visited.direction, of_copy.direction);
      EXPECT_EQ(visited.score(q, 0, w), copy.score(q, 0, w));
      if (q == 59 || q == 2) {
        selected.scores(q == 59 ? 0 : 1, w, a);
        EXPECT_EQ(a, b);
      }
    }
  }
}

TEST(LinearFeatures, SurveyTheRowsThatTheySee) {
  for (const bool sparse : {false, true}) {
    const Dataset data =
        test::random_data({.lengths = std::vector<std::size_t>(40, 5), .features = 21, .sparse = sparse});
    for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::log_query_zscore}) {
      const Scaling scaling = fit_scaling(kind, data);
      for (const std::uint64_t kept : {std::uint64_t{0}, dense_bytes(data) / 3, dense_bytes(data)})
        for (const std::size_t threads : {1, 2, 3, 7}) {
          Survey survey(data);
          const LinearFeatures features(data, scaling, kept, threads, &survey);
          EXPECT_EQ(survey.fingerprint(), data.fingerprint());
          Survey alone(data);
          alone.add_all(1);
          EXPECT_EQ(survey.statistics().mean, alone.statistics().mean);
        }
    }
  }
}

/// Memory of this process that holds pages of files, in bytes; 0 where the system does not say.
std::size_t file_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssFile:")) return 1024 * std::stoul(line.substr(8));
  return 0;
}

TEST(ScaledRows, LetGoOfAMappedFileThatIsStillThere) {
  const Dataset data = test::random_data({.lengths = std::vector<std::size_t>(400, 50), .features = 64});
  const std::string path = testing::TempDir() + "let_go.dorm";
  write_dataset(data, path);
  const Dataset mapped = read_binary(path);
  const std::size_t before = file_memory();
  for (const std::size_t threads : {1, 2, 3, 7}) {
    const LinearFeatures features(mapped, fit_scaling(ScalingKind::log_query_zscore, mapped), dense_bytes(data),
                                  threads);
    if (threads == 1 && before > 0) {
      EXPECT_LT(file_memory() + dense_bytes(data) / 2, before);
    }
    EXPECT_EQ(mapped.fingerprint(), data.fingerprint());
  }
  std::filesystem::remove(path);
}

TEST(LinearFeatures, NoWeightsGiveNoScores) {
  const Dataset data = many_queries();
  std::vector<double> scores(data.query(12).size(), 7.0);
  LinearFeatures(data).scores(12, std::vector<double>(data.num_features(), 0.0), scores);
  EXPECT_EQ(scores, std::vector<double>(scores.size(), 0.0));
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The experiment on ratings, from files in the shape of MovieLens: figures against evaluation by hand, and a second run
// that begins where the first one stopped.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "dorm/error.h"
#include "dorm/lab/collaborative.h"
#include "dorm/lab/experiment.h"
#include "dorm/read.h"
#include "support/message_of.h"
#include "support/ratings.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::tasteful_ratings;

/// Eight users who have rated most of seventy films, with two genres.
void write_movielens(const std::string& directory) {
  std::filesystem::create_directories(directory + "/movielens-100k");
  const Ratings ratings = tasteful_ratings(8, 70, 300, 3);
  std::ofstream data(directory + "/movielens-100k/u.data"), items(directory + "/movielens-100k/u.item");
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    for (std::size_t i = 0; i < row.size(); ++i)
      data << u + 1 << '\t' << row.index[i] + 1 << '\t' << row.value[i] << "\t0\n";
  }
  for (std::size_t j = 0; j < ratings.num_items(); ++j)
    items << j + 1 << "|film|" << j % 2 << '|' << (j + 1) % 2 << '\n';
  std::ofstream(directory + "/movielens-100k/u.user") << "1|24|M|technician|85711\n";
}

const std::vector<report::Cell>& row_of(const report::Table& table, const std::string& method) {
  for (const auto& row : table.rows)
    if (row[0].text == method) return row;
  throw Error(ErrorCode::internal, fmt::format("no row {}", method));
}

TEST(EachMovie, GivesTheFiguresOfEvaluation) {
  const test::TemporaryDirectory folder;
  write_movielens(folder.path("data"));
  const ExperimentResult result = run_experiment("movielens-ndcg", {.data_directory = folder.path("data")}, {});
  ASSERT_TRUE(result.complete);
  ASSERT_EQ(result.tables.size(), 9u);
  const Ratings ratings = read_ratings(folder.path("data/movielens-100k/u.data"));
  const std::vector<std::string> measures = {"ndcg@10"};
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const RatingsSplit split = split_given(ratings, 20, seed);
    const auto scores = collaborative_scores("item-mean:0", split.train, split.test);
    const double value = 100 * evaluate(split.test, scores, measures).measures[0].mean;
    sum += value;
    squares += value * value;
  }
  const double deviation = std::sqrt((squares - sum * sum / 10) / 9);
  EXPECT_EQ(row_of(result.tables[1], "item-mean:0")[1].text, fmt::format("{:.2f} ± {:.2f}", sum / 10, deviation));
}

// Every user of the small set has rated as many films as the paper asks for, so that its part of them is the whole.
TEST(EachMovie, ComparesEveryDormWithEveryRivalOfThePaper) {
  const test::TemporaryDirectory folder;
  write_movielens(folder.path("data"));
  const ExperimentResult result = run_experiment("eachmovie-ndcg", {.data_directory = folder.path("data")}, {});
  ASSERT_TRUE(result.complete);
  ASSERT_EQ(result.tables.size(), 6u);
  const report::Table& rivals = result.tables[4];
  ASSERT_EQ(rivals.rows.size(), 9u);  // of three numbers of ratings
  ASSERT_EQ(rivals.columns.size(), 7u);
  const Ratings ratings = read_ratings(folder.path("data/movielens-100k/u.data"));
  const SideFeatures genres = read_side_features(folder.path("data/movielens-100k/u.item"), "3,4");
  const std::vector<std::string> measures = {"ndcg@10"};
  double sum = 0;
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const RatingsSplit split = split_given(ratings, 10, seed);
    for (const auto& [method, sign] : {std::pair("joint-paper", 10.0), std::pair("cgpr", -10.0)}) {
      const auto scores = collaborative_scores(method, split.train, split.test, {.item_features = &genres});
      sum += sign * evaluate(split.test, scores, measures).measures[0].mean;
    }
  }
  ASSERT_EQ(rivals.rows[0][1].text, "joint-paper");
  EXPECT_EQ(rivals.columns[3].name, "cgpr");
  EXPECT_TRUE(rivals.rows[0][3].text.starts_with(fmt::format("{:+.2f} (", sum))) << rivals.rows[0][3].text;
}

TEST(EachMovie, GoesOnWhereItStopped) {
  const test::TemporaryDirectory folder;
  write_movielens(folder.path("data"));
  const ExperimentOptions options{
      .data_directory = folder.path("data"), .directory = folder.path("cells"), .threads = 1};
  std::size_t computed = 0;
  const auto first = [&](const ComparisonProgress&) { return ++computed < 20; };
  EXPECT_FALSE(run_experiment("eachmovie-ndcg", options, first).complete);
  ComparisonProgress seen;
  const auto second = [&](const ComparisonProgress& progress) {
    seen = progress;
    return false;
  };
  EXPECT_FALSE(run_experiment("eachmovie-ndcg", options, second).complete);
  EXPECT_EQ(seen.found, 20u);
  EXPECT_EQ(seen.done, 21u);
}

TEST(EachMovie, SaysWhichFileIsMissingAndWhereItIsPublished) {
  const test::TemporaryDirectory folder;
  EXPECT_EQ(missing_data("eachmovie-ndcg", folder.path("data")).size(), 3u);
  const std::string message =
      test::message_of([&] { run_experiment("eachmovie-ndcg", {.data_directory = folder.path("data")}); });
  EXPECT_NE(message.find("grouplens.org"), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm

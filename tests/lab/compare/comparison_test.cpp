// SPDX-License-Identifier: Apache-2.0
// Comparisons: what the figures are made of, and that nothing depends on threads, interruptions or old files.
#include "dorm/lab/comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "base/checksum.h"
#include "base/json.h"
#include "dorm/error.h"
#include "lab/compare/cell.h"
#include "support/random_data.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

namespace fs = std::filesystem;

Dataset world(std::uint64_t seed, std::size_t queries = 30) {
  return test::random_data({.lengths = std::vector<std::size_t>(queries, 8), .grades = 3, .signal = 0.7, .seed = seed});
}

const std::vector<DataSplit>& splits() {
  static const std::vector<DataSplit> two = {{world(1), world(2), world(3)}, {world(4), world(5), world(6)}};
  return two;
}

ComparisonOptions small() {
  ComparisonOptions options;
  options.methods = {"ridge", "ranksvm", "feature:1", "dorm:ndcg@3"};
  options.measures = {"ndcg@3", "mrr"};
  options.curve = {"ndcg@1", "ndcg@3"};
  options.C = {1, 100};
  options.equal_candidates = false;
  options.threads = 1;
  return options;
}

std::vector<std::string> texts_of(const std::vector<Setting>& settings) {
  std::vector<std::string> texts;
  for (const Setting& setting : settings) texts.push_back(setting.text());
  return texts;
}

TEST(Candidates, AreAsManyForEveryMethodThatHasAC) {
  ComparisonOptions options;
  options.methods = {"dorm:ndcg@10",    "dorm:ndcg@10~measure~best",
                     "ridge",           "svm-ir-qp",
                     "precision-svm@3", "roc-svm:rel=1",
                     "feature:25",      "prank"};
  const auto lists = candidates(options, {1, 2, 3, 4});
  for (std::size_t m = 0; m < 6; ++m) EXPECT_EQ(lists[m].size(), 15u) << options.methods[m];
  EXPECT_EQ(lists[6].size(), 1u);
  EXPECT_EQ(lists[7].size(), 3u) << "aims, but no C";
  for (const auto& list : lists) {
    const std::vector<std::string> texts = texts_of(list);
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), list.size());
    if (list.size() < 15) continue;
    EXPECT_EQ(list.front().C, 1);
    EXPECT_EQ(list.back().C, 10000);
  }
}

TEST(Candidates, AimAtTheBestTheHighestGradesOrTheGains) {
  ComparisonOptions options;
  options.methods = {"roc-svm", "ridge", "svm"};
  options.C = {10};
  EXPECT_EQ(texts_of(candidates(options, {1, 2, 3, 4})[0]),
            (std::vector<std::string>{"C=10", "C=10 rel=best", "C=10 rel=3"}));
  EXPECT_EQ(texts_of(candidates(options, {1, 2})[0]),
            (std::vector<std::string>{"C=10", "C=10 rel=best", "C=10 rel=2"}));
  EXPECT_EQ(texts_of(candidates(options, {1, 2})[1]),
            (std::vector<std::string>{"C=10", "C=10 rel=best", "C=10 gain=exp2"}));
  EXPECT_EQ(texts_of(candidates(options, {1, 2})[2]),
            (std::vector<std::string>{"C=10", "C=10 rel=best", "C=10 classes=balanced"}));
  EXPECT_EQ(texts_of(candidates(options, {1})[0]), std::vector<std::string>{"C=10"}) << "one grade: one aim";
}

TEST(Candidates, AreThoseOfTheSpellingWhenAskedFor) {
  ComparisonOptions options = small();
  EXPECT_EQ(texts_of(candidates(options, {1, 2})[1]), (std::vector<std::string>{"C=1", "C=100"}));
}

TEST(Comparison, AnAimIsChosenOnTheValidationQueries) {
  ComparisonOptions options = small();
  options.equal_candidates = true;
  options.methods = {"roc-svm", "dorm:ndcg@3"};
  const ComparisonFigure figure = run_comparison(splits(), options).rows[0].figures[0];
  EXPECT_EQ(figure.candidates, 6u);
  const DataSplit& split = splits()[0];
  double best = -1;
  std::string chosen;
  for (const char* aim : {"", ":rel=best", ":rel=2"})
    for (double C : {1.0, 100.0}) {
      const Model model =
          train_method(split.train, std::string("roc-svm") + aim, {.C = C, .compute = {.threads = 1}}).model;
      const std::vector<std::string> ndcg = {"ndcg@3"};
      const double valid = evaluate(split.valid, score(model, split.valid), ndcg).measures[0].mean;
      if (valid <= best) continue;
      best = valid;
      chosen = fmt::format("C={:g}{}{}", C, *aim ? " " : "", *aim ? aim + 1 : "");
    }
  EXPECT_EQ(figure.chosen[0], chosen);
}

TEST(Comparison, NamesItsBuildInEverythingWritten) {
  const ComparisonResult result = run_comparison(splits(), small());
  EXPECT_EQ(build_identity().find("build "), build_identity().size() - 18) << "twelve digits at the end";
  EXPECT_NE(comparison_markdown(result).find(build_identity()), std::string::npos);
  const std::string csv = comparison_csv(result);
  for (std::size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1)
    EXPECT_NE(csv.substr(at, csv.find('\n', at) - at).find(build_identity()), std::string::npos);
  for (const Cell& cell : make_cells(splits(), small())) EXPECT_NE(cell.key.find(build_identity()), std::string::npos);
}

// All but the seconds, which no two runs share.
std::string without_times(const ComparisonResult& result) {
  ComparisonResult copy = result;
  for (ComparisonRow& row : copy.rows)
    for (ComparisonFigure& figure : row.figures) figure.seconds = figure.tuning_seconds = 0;
  return comparison_csv(copy);
}

const ComparisonRow& row_of(const ComparisonResult& result, const std::string& method) {
  for (const ComparisonRow& row : result.rows)
    if (row.method == method) return row;
  throw std::runtime_error("no row " + method);
}

TEST(Comparison, FiguresAreThoseOfTheCandidateThatValidationPrefers) {
  const ComparisonResult result = run_comparison(splits(), small());
  const ComparisonFigure& figure = row_of(result, "ranksvm").figures[1];
  std::vector<double> expected;
  for (const DataSplit& split : splits()) {
    double best = -1;
    std::vector<double> kept;
    for (double C : {1.0, 100.0}) {
      const Model model = train_method(split.train, "ranksvm", {.C = C, .compute = {.threads = 1}}).model;
      const std::vector<std::string> mrr = {"mrr"};
      const double valid = evaluate(split.valid, score(model, split.valid), mrr).measures[0].mean;
      if (valid <= best) continue;
      best = valid;
      kept = evaluate(split.test, score(model, split.test), mrr).measures[0].per_query;
    }
    expected.insert(expected.end(), kept.begin(), kept.end());
  }
  ASSERT_EQ(figure.result.per_query.size(), 60u);
  for (std::size_t q = 0; q < expected.size(); ++q)
    EXPECT_TRUE(figure.result.per_query[q] == expected[q] ||
                (std::isnan(expected[q]) && std::isnan(figure.result.per_query[q])));
}

TEST(Comparison, KeepsTheListsAndWeightsOfWhatWasChosen) {
  const test::TemporaryDirectory folder;
  ComparisonOptions options = small();
  options.methods = {"ridge", "feature:1"};
  options.C = {1};
  options.directory = folder.path("cells");
  const ComparisonResult first = run_comparison(splits(), options);
  const ComparisonResult again = run_comparison(splits(), options);  // from the kept cells
  std::vector<Ranking> lists;
  std::vector<double> mean(splits()[0].train.num_features());
  for (const DataSplit& split : splits()) {
    const Model model = train_method(split.train, "ridge", {.C = 1, .compute = {.threads = 1}}).model;
    const std::vector<double> scores = score(model, split.test);
    for (std::size_t q = 0; q < split.test.num_queries(); ++q) {
      const Query query = split.test.query(q);
      lists.push_back(top_ranking(std::span(scores).subspan(query.first_document, query.size())));
    }
    double squares = 0;
    for (const double weight : model.weights) squares += weight * weight;
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += model.weights[j] / std::sqrt(squares) / 2;
  }
  for (const ComparisonResult* result : {&first, &again}) {
    EXPECT_EQ(result->rows[0].top, lists);
    ASSERT_EQ(result->rows[0].weights.size(), mean.size());
    for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(result->rows[0].weights[j], mean[j], 1e-12);
    EXPECT_TRUE(result->rows.back().top.empty());  // the ideal order
  }
}

TEST(Comparison, RandomIsTheExpectationAndIdealTheTop) {
  const ComparisonResult result = run_comparison(splits(), small());
  EXPECT_DOUBLE_EQ(row_of(result, "ideal").figures[0].result.mean, 1);
  const double random = row_of(result, "random").figures[0].result.mean;
  double sum = 0;
  Rng rng(9);
  constexpr int kDraws = 400;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> scores(splits()[0].test.num_documents());
    for (double& x : scores) x = rng.uniform();
    const std::vector<std::string> measure = {"ndcg@3"};
    for (const DataSplit& split : splits())
      sum += evaluate(split.test, scores, measure, {.bootstrap = 0}).measures[0].mean / 2;
  }
  EXPECT_NEAR(random, sum / kDraws, 0.01);
  EXPECT_EQ(row_of(result, "random").curve.size(), 2u);
}

TEST(Comparison, DoesNotDependOnThreads) {
  ComparisonOptions options = small();
  const std::string one = without_times(run_comparison(splits(), options));
  options.threads = 3;
  EXPECT_EQ(without_times(run_comparison(splits(), options)), one);
}

TEST(Comparison, GoesOnWhereItWasStoppedAndEndsTheSame) {
  const test::TemporaryDirectory folder;
  ComparisonOptions options = small();
  const std::string whole = without_times(run_comparison(splits(), options));
  options.directory = folder.path("cells");
  std::size_t most = 0;
  ComparisonResult result;
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::size_t fresh = 0;
    result = run_comparison(splits(), options, [&](const ComparisonProgress& progress) {
      most = std::max(most, progress.found);
      fresh = progress.done - progress.found;
      return fresh < 3;
    });
    if (result.complete) break;
  }
  ASSERT_TRUE(result.complete);
  EXPECT_GT(most, 5u);
  EXPECT_EQ(without_times(result), whole);
}

TEST(Comparison, UsesNoCellOfOtherDataOrOptionsAndRepeatsDamagedOnes) {
  const test::TemporaryDirectory folder;
  ComparisonOptions options = small();
  options.directory = folder.path("cells");
  run_comparison(splits(), options);
  const auto found = [&](const std::vector<DataSplit>& data, const ComparisonOptions& with) {
    std::size_t count = 0;
    run_comparison(data, with, [&](const ComparisonProgress& progress) {
      count = progress.found;
      return true;
    });
    return count;
  };
  ComparisonOptions other = options;
  other.tolerance = 1e-4;
  EXPECT_EQ(found(splits(), other), 0u);
  EXPECT_EQ(found({{world(7), world(2), world(3)}}, options), 0u);
  for (const auto& entry : fs::directory_iterator(options.directory)) std::ofstream(entry.path()) << "{\"key\": 3";
  EXPECT_EQ(found(splits(), options), 0u);
}

// As above, with the checksum made good: what remains is whether the values can be those of the cell.
TEST(Comparison, RepeatsCellsWhoseValuesCannotBeTheirs) {
  const test::TemporaryDirectory folder;
  ComparisonOptions options = small();
  options.directory = folder.path("cells");
  const std::string whole = without_times(run_comparison(splits(), options));
  const std::vector<std::function<void(Json&)>> edits = {
      [](Json& cell) { cell["test"][0][0] = 3.63; },
      [](Json& cell) { cell["valid"][0][0] = 1.01; },
      [](Json& cell) { cell["test"][0].erase(0); },
      [](Json& cell) { cell["valid"] = Json::array(); },
      [](Json& cell) { cell["test"].push_back(cell["test"][0]); },
      [](Json& cell) { cell["seconds"] = -1; },
      [](Json& cell) { cell["passes"] = "many"; },
      [](Json& cell) { cell["test"][0][0] = "best"; },
      [](Json& cell) { cell["test"] = 3; },
      [](Json& cell) { cell["top"][0][0] = 8; },  // there are eight documents
      [](Json& cell) { cell.erase("top"); },
      [](Json& cell) { cell["weights"].push_back(1); },
  };
  for (const auto& edit : edits) {
    for (const auto& entry : fs::directory_iterator(options.directory)) {
      Json cell = Json::parse(test::content_of(entry.path()));
      if (!cell["failure"].get<std::string>().empty()) continue;
      edit(cell);
      cell.erase("checksum");
      const std::string text = cell.dump();
      cell["checksum"] = fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
      std::ofstream(entry.path()) << cell.dump();
    }
    EXPECT_EQ(without_times(run_comparison(splits(), options)), whole);
  }
}

TEST(Comparison, SizesTakeNestedSamples) {
  const Dataset data = world(1);
  const Dataset ten = training_part(data, 10, 1), twenty = training_part(data, 20, 1);
  std::size_t shared = 0;
  for (std::size_t q = 0; q < ten.num_queries(); ++q)
    for (std::size_t r = 0; r < twenty.num_queries(); ++r) shared += ten.query(q).id == twenty.query(r).id;
  EXPECT_EQ(ten.num_queries(), 10u);
  EXPECT_EQ(shared, 10u);
  EXPECT_EQ(training_part(data, 99, 1).num_queries(), 30u);
}

TEST(Comparison, HasOneTablePerSizeTheLastOfAllQueries) {
  ComparisonOptions options = small();
  options.methods = {"ridge"};
  const ComparisonResult all = run_comparison(splits(), options);
  options.sizes = {10, 0};
  const ComparisonResult sizes = run_comparison(splits(), options);
  ASSERT_EQ(sizes.rows.size(), 6u);
  EXPECT_EQ(sizes.rows[0].size, 10u);
  EXPECT_NE(sizes.rows[0].figures[0].result.mean, all.rows[0].figures[0].result.mean);
  EXPECT_EQ(sizes.rows[3].figures[0].result.mean, all.rows[0].figures[0].result.mean);
}

TEST(Comparison, AMethodThatCannotLearnSaysWhyAndOthersGoOn) {
  std::vector<DataSplit> binary = splits();
  ComparisonOptions options = small();
  options.methods = {"precision-svm@8", "ridge"};
  const ComparisonResult result = run_comparison(binary, options);
  EXPECT_NE(row_of(result, "precision-svm@8").failure.find("nothing to learn"), std::string::npos);
  EXPECT_EQ(row_of(result, "ridge").figures.size(), 2u);
  EXPECT_NE(comparison_markdown(result).find("precision-svm@8: nothing to learn"), std::string::npos);
}

// With one document of grade 2 in all, lists of its kind cannot be had on every split; the other aims serve.
TEST(Comparison, ACandidateThatCannotLearnIsLeftOut) {
  ComparisonOptions options = small();
  options.equal_candidates = true;
  options.methods = {"precision-svm@7", "dorm:ndcg@3"};
  std::vector<DataSplit> few = {{world(1), world(2), world(3)}};
  std::vector<float> labels;
  for (std::size_t q = 0; q < few[0].train.num_queries(); ++q)
    for (float label : few[0].train.query(q).labels) labels.push_back(q < 5 ? 2.0f : std::min(label, 1.0f));
  few[0].train = few[0].train.with_labels(labels);
  const ComparisonRow row = run_comparison(few, options).rows[0];
  ASSERT_EQ(row.failure, "");
  EXPECT_EQ(row.figures[0].candidates, 4u) << "rel=2 has no query with documents of both kinds";
}

TEST(Comparison, TestsAgainstTheBestOrTheOneAskedFor) {
  ComparisonOptions options = small();
  const ComparisonResult best = run_comparison(splits(), options);
  double top = 0;
  for (const ComparisonRow& row : best.rows)
    if (row.method != "ideal" && row.method != "random") top = std::max(top, row.figures[0].result.mean);
  for (const ComparisonRow& row : best.rows)
    EXPECT_TRUE(!row.figures[0].reference || row.figures[0].result.mean == top);
  options.against = "feature:1";
  const ComparisonResult fixed = run_comparison(splits(), options);
  EXPECT_TRUE(row_of(fixed, "feature:1").figures[0].reference);
  const PairedTest test = compare(row_of(fixed, "ridge").figures[0].result.per_query,
                                  row_of(fixed, "feature:1").figures[0].result.per_query, {.seed = 1});
  EXPECT_EQ(row_of(fixed, "ridge").figures[0].test.p_permutation, test.p_permutation);
}

TEST(Comparison, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](auto change) {
    ComparisonOptions options = small();
    change(options);
    EXPECT_THROW(options.validate(), Error);
  };
  refused([](ComparisonOptions& o) { o.methods = {}; });
  refused([](ComparisonOptions& o) { o.measures = {}; });
  refused([](ComparisonOptions& o) { o.measures = {"gmap"}; });  // its mean over folds would be another one
  refused([](ComparisonOptions& o) { o.C = {0}; });
  refused([](ComparisonOptions& o) { o.methods = {"ridge", "ridge"}; });
  refused([](ComparisonOptions& o) { o.against = "svm"; });
  refused([](ComparisonOptions& o) { o.measures = {"ndgc"}; });
}

}  // namespace
}  // namespace dorm

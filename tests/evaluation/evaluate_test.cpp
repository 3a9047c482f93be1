// SPDX-License-Identifier: Apache-2.0
#include "dorm/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/numeric.h"
#include "base/rng.h"
#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::message_of;
using Names = std::vector<std::string>;

EvaluateOptions with_ties(const std::string& ties) {
  EvaluateOptions options;
  options.ties = ties;
  return options;
}

TEST(Evaluate, AveragesByWeightAndCountsWhatItSkips) {
  const std::vector<float> good = {1, 0}, bad = {0, 1}, empty = {0, 0};
  const std::vector<double> scores = {2, 1};
  const std::vector<ScoredQuery> queries = {
      {"good", good, scores, {}, 3}, {"bad", bad, scores, {}, 1}, {"empty", empty, scores, {}, 5}};
  const EvaluationTable table = evaluate(queries, Names{"mrr", "kendall"});
  const MeasureResult& mrr = table["mrr"];
  EXPECT_DOUBLE_EQ(mrr.mean, (3 * 1.0 + 1 * 0.5) / 4);
  EXPECT_EQ(mrr.queries, 2u);
  EXPECT_EQ(mrr.skipped, 1u);
  EXPECT_EQ(mrr.per_query[1], 0.5);
  EXPECT_TRUE(std::isnan(mrr.per_query[2]));
  EXPECT_DOUBLE_EQ(table["kendall"].mean, (3 - 1) / 4.0);
  EXPECT_EQ(table.convention, "standard");
  EXPECT_EQ(table.ties, "index");
  EXPECT_EQ(table.query_ids, (Names{"good", "bad", "empty"}));
}

// Labels 0 1 2 with equal scores, ids a c b.
TEST(Evaluate, BreaksTiesAsAsked) {
  const std::vector<float> labels = {0, 1, 2};
  const std::vector<double> scores = {7, 7, 7};
  const std::vector<std::string_view> ids = {"a", "c", "b"};
  const std::vector<ScoredQuery> queries = {{"q", labels, scores, ids}};
  const auto mrr2 = [&](const std::string& ties) {
    return evaluate(queries, Names{"mrr:rel=2"}, with_ties(ties)).measures[0].mean;
  };
  EXPECT_DOUBLE_EQ(mrr2("index"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(mrr2("worst"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(mrr2("document_id"), 1.0 / 2);  // c, b, a
  EXPECT_DOUBLE_EQ(mrr2("expected"), (1 + 1.0 / 2 + 1.0 / 3) / 3);
}

TEST(Evaluate, TreatsBothZerosAsEqual) {
  const std::vector<float> labels = {0, 1};
  const std::vector<double> scores = {-0.0, 0.0};
  const std::vector<ScoredQuery> queries = {{"q", labels, scores}};
  EXPECT_DOUBLE_EQ(evaluate(queries, Names{"mrr"}).measures[0].mean, 0.5);
}

TEST(Evaluate, TrecTiesFallBackToIndexWithoutDocumentIds) {
  const std::vector<float> labels = {1, 0};
  const std::vector<double> scores = {1, 1};
  const std::vector<ScoredQuery> queries = {{"q", labels, scores}};
  EvaluateOptions options;
  options.convention = "trec";
  EXPECT_EQ(evaluate(queries, Names{"map"}, options).ties, "index");
  options.ties = "document_id";
  EXPECT_EQ(message_of([&] { evaluate(queries, Names{"map"}, options); }),
            "ties by document_id need document ids, and the data has none");
}

TEST(Evaluate, NamesTheQueryAndDocumentOfAScoreThatIsNoNumber) {
  const std::vector<float> labels = {1, 0};
  const std::vector<std::string_view> ids = {"x", "y"};
  for (const auto& [score, text] : {std::pair(kNaN, "nan"), {HUGE_VAL, "inf"}, {-HUGE_VAL, "-inf"}}) {
    const std::vector<double> scores = {1, score};
    const std::vector<ScoredQuery> queries = {{"17", labels, scores, ids}};
    EXPECT_EQ(message_of([&queries] { evaluate(queries, Names{"map"}); }),
              "query \"17\", document 2 (\"y\"): score " + std::string(text) + "; expected a finite number");
  }
}

TEST(Evaluate, NamesTheQueryOfALabelAMeasureRefuses) {
  const std::vector<float> labels = {9};
  const std::vector<double> scores = {1};
  const std::vector<ScoredQuery> queries = {{"17", labels, scores}};
  EXPECT_EQ(message_of([&] { evaluate(queries, Names{"err@3"}); }),
            "query \"17\": label 9 is above the highest grade 4 of err@3; say err@3:max_grade=9");
}

TEST(Evaluate, RefusesMoreScoresThanDocuments) {
  const std::vector<float> labels = {1};
  const std::vector<double> scores = {1, 2};
  const std::vector<ScoredQuery> queries = {{"17", labels, scores}};
  EXPECT_EQ(message_of([&] { evaluate(queries, Names{"map"}); }), "query \"17\": 2 scores for 1 documents");
}

TEST(Evaluate, TakesMeasuresOfTheCallersOwn) {
  class LastWins final : public FactoredMeasure {
    std::string name() const override { return "first-document"; }
    Factors factor(Labels labels) const override {
      Factors factors{std::vector<double>(labels.size(), 0.0), std::vector<double>(labels.size(), 0.0)};
      factors.a[0] = 1;
      factors.b.back() = 1;
      return factors;
    }
  };
  const LastWins measure;
  const std::vector<float> labels = {0, 0};
  const std::vector<double> scores = {0, 1};
  const std::vector<ScoredQuery> queries = {{"q", labels, scores}};
  const std::vector<const Measure*> measures = {&measure};
  EXPECT_EQ(evaluate(queries, measures)["first-document"].mean, 1);
}

TEST(Evaluate, AnEmptyListOfQueriesHasNoMean) {
  const EvaluationTable table = evaluate(std::vector<ScoredQuery>{}, Names{"map"});
  EXPECT_TRUE(std::isnan(table["map"].mean));
  EXPECT_EQ(table["map"].queries, 0u);
  EXPECT_THROW(table["ndcg"], Error);
}

struct RandomQueries {
  std::vector<float> labels;
  std::vector<double> scores;
  std::vector<ScoredQuery> queries;

  RandomQueries(std::size_t count, std::size_t length, std::size_t score_levels) {
    Rng rng(11);
    for (std::size_t i = 0; i < count * length; ++i) {
      labels.push_back(static_cast<float>(rng.below(5)));
      scores.push_back(static_cast<double>(rng.below(score_levels)));
    }
    for (std::size_t q = 0; q < count; ++q)
      queries.push_back({"q", Labels(labels).subspan(q * length, length),
                         std::span<const double>(scores).subspan(q * length, length)});
  }
};

// Of the catalog, those that have a value under this rule for ties.
Names every_measure(std::string_view ties) {
  Names names;
  for (const CatalogEntry& entry : measure_catalog())
    if (ties != "expected" || !make_measure(entry.example)->needs_order()) names.emplace_back(entry.example);
  return names;
}

TEST(Evaluate, DoesNotDependOnTheNumberOfThreads) {
  const RandomQueries random(300, 20, 6);
  for (const char* ties : {"index", "expected", "worst"}) {
    EvaluateOptions one = with_ties(ties), many = with_ties(ties);
    one.threads = 1;
    many.threads = 6;
    const auto a = evaluate(random.queries, every_measure(ties), one);
    const auto b = evaluate(random.queries, every_measure(ties), many);
    for (std::size_t m = 0; m < a.measures.size(); ++m) {
      EXPECT_EQ(a.measures[m].mean, b.measures[m].mean) << a.measures[m].name;
      EXPECT_EQ(a.measures[m].low, b.measures[m].low) << a.measures[m].name;
    }
  }
}

// Random scores, so the expected values are known: AUC 1/2, Kendall 0, precision the share of relevant labels.
TEST(Evaluate, HandlesAMillionDocumentsInOneQuery) {
  const RandomQueries random(1, 1000000, 1000);
  for (const char* ties : {"index", "expected"}) {
    const EvaluationTable table = evaluate(random.queries, every_measure(ties), with_ties(ties));
    EXPECT_NEAR(table["auc"].mean, 0.5, 0.01);
    EXPECT_NEAR(table["kendall"].mean, 0, 0.01);
  }
}

TEST(Evaluate, HandlesAMillionTiedDocuments) {
  const RandomQueries random(1, 1000000, 1);
  const EvaluationTable table = evaluate(random.queries, every_measure("expected"), with_ties("expected"));
  EXPECT_NEAR(table["precision@5"].mean, 0.8, 0.01);
  EXPECT_DOUBLE_EQ(table["auc"].mean, 0.5);
  EXPECT_EQ(table["kendall"].mean, 0);
}

TEST(Evaluate, HandlesManyQueriesOfOneDocument) {
  const RandomQueries random(200000, 1, 2);
  EvaluateOptions options;
  options.bootstrap = 20;
  const EvaluationTable table = evaluate(random.queries, Names{"ndcg@10", "precision@1"}, options);
  EXPECT_EQ(table["ndcg@10"].mean, 1);
  EXPECT_NEAR(static_cast<double>(table["ndcg@10"].skipped), 40000, 1000);  // one label in five is 0
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Rankers judged by clicks: unbiased by enumeration of all clicks, and intervals that cover.
#include "dorm/clicks/click_evaluation.h"

#include <gtest/gtest.h>

#include "base/numeric.h"
#include "evaluation/clicks/click_worlds.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::ClickWorld;
using test::log_of;
using test::message_of;
using test::numbered;
using test::truth_of;

Dataset documents_of(std::size_t queries, std::size_t documents, bool features = false) {
  DatasetBuilder builder;
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t d = 0; d < documents; ++d) {
      const std::string query = numbered("q", q), document = numbered("d", d);
      const float x = static_cast<float>(d);
      builder.add({.query_id = query, .document_id = document},
                  features ? std::span<const float>(&x, 1) : std::span<const float>());
    }
  return builder.finish();
}

double discount(std::size_t position) { return 1 / std::log2(1 + real(position)); }

constexpr std::size_t kFive = 5;
const std::vector<double> kLooks = {1, .5, .4, .2, .1};
const std::vector<double> kRelevance = {.9, .05, .4, .7, .2};

/// A log in which query 0 was shown once, in the order of its documents, and clicked as the bits say.
ClickCounts one_page(unsigned pattern, bool second_query = false) {
  ClickCounter counter;
  for (std::uint32_t d = 0; d < kFive; ++d) {
    const std::string document = numbered("d", d);
    counter.add({.query = "q0", .document = document, .position = d + 1, .clicks = (pattern >> d) & 1 ? 1.0 : 0.0});
    if (second_query)
      counter.add({.query = "q1", .document = document, .position = d + 1, .impressions = 10, .clicks = 2.0 + d});
  }
  return counter.finish();
}

double probability_of(unsigned pattern) {
  double product = 1;
  for (std::size_t d = 0; d < kFive; ++d) {
    const double rate = kLooks[d] * kRelevance[d];
    product *= (pattern >> d) & 1 ? rate : 1 - rate;
  }
  return product;
}

/// The mean over all 32 patterns of clicks of the value of query 0, for every ranking of its documents; and the sum of
/// discount times `worth`.
template <class Worth>
void expect_unbiased(const ClickEvaluateOptions& options, const Dataset& data, bool second_query, const Worth& worth) {
  std::vector<std::unique_ptr<ClickJudge>> judges;
  for (unsigned pattern = 0; pattern < 32; ++pattern)
    judges.push_back(std::make_unique<ClickJudge>(data, one_page(pattern, second_query), truth_of(kLooks), options));
  std::vector<std::size_t> place = {0, 1, 2, 3, 4};
  const std::vector<std::string> measures = {"dcg@3", "precision@2"};
  std::size_t rankings = 0;
  do {
    std::vector<double> scores(data.num_documents(), 0.0);
    for (std::size_t d = 0; d < kFive; ++d) scores[d] = -real(place[d]);
    double dcg = 0, precision = 0;
    for (std::size_t d = 0; d < kFive; ++d) {
      if (place[d] < 3) dcg += discount(place[d] + 1) * worth(d);
      if (place[d] < 2) precision += worth(d) / 2;
    }
    double mean_dcg = 0, mean_precision = 0;
    for (unsigned pattern = 0; pattern < 32; ++pattern) {
      const EvaluationTable table = judges[pattern]->evaluate(scores, measures).table;
      mean_dcg += probability_of(pattern) * table.measures[0].per_query[0];
      mean_precision += probability_of(pattern) * table.measures[1].per_query[0];
    }
    EXPECT_NEAR(mean_dcg, dcg, 1e-12);
    EXPECT_NEAR(mean_precision, precision, 1e-12);
    ++rankings;
  } while (std::next_permutation(place.begin(), place.end()));
  EXPECT_EQ(rankings, 120u);
}

ClickEvaluateOptions plain(const std::string& estimator, double clip = 0) {
  ClickEvaluateOptions options;
  options.estimator = estimator;
  options.clip = clip;
  options.evaluate.bootstrap = 0;
  options.evaluate.threads = 1;
  return options;
}

TEST(ClickEvaluation, IpsIsUnbiasedByEnumeration) {
  expect_unbiased(plain("ips"), documents_of(1, kFive), false, [](std::size_t d) { return kRelevance[d]; });
}

TEST(ClickEvaluation, IpsWithModelIsUnbiasedByEnumeration) {
  expect_unbiased(plain("ips+model"), documents_of(2, kFive, true), true, [](std::size_t d) { return kRelevance[d]; });
}

// With clipping the model speaks for what was clipped. It has seen the other query alone: rates (2 + d) / 10 over
// looks, of which the ridge line in d is found here by its own normal equations.
TEST(ClickEvaluation, TheModelFillsWhatIsClipped) {
  const double clip = .3;
  const auto known = [&](double looks) { return looks / std::max(looks, clip); };
  std::vector<double> target;
  double mean = 0;
  for (std::size_t d = 0; d < kFive; ++d) target.push_back((2 + real(d)) / 10 / std::max(kLooks[d], clip));
  for (const double t : target) mean += t / 5;
  double cross = 0;
  for (std::size_t d = 0; d < kFive; ++d) cross += (real(d) - 2) / std::sqrt(2.0) * target[d];
  const double slope = cross / (5 + 5e-3);  // x has mean 0 and variance 1
  expect_unbiased(plain("ips+model", clip), documents_of(2, kFive, true), true, [&](std::size_t d) {
    const double predicted = std::max(0.0, mean + slope * (real(d) - 2) / std::sqrt(2.0));
    return known(kLooks[d]) * kRelevance[d] + (1 - known(kLooks[d])) * predicted;
  });
}

// One document shown at two positions, in half of the pages each: four patterns of two pages.
TEST(ClickEvaluation, UnbiasedWhereDocumentsMove) {
  const Dataset data = documents_of(1, 2);
  double mean = 0;
  for (unsigned pattern = 0; pattern < 16; ++pattern) {
    ClickCounter counter;
    double probability = 1;
    for (unsigned shown = 0; shown < 4; ++shown) {
      const unsigned page = shown / 2, d = shown % 2, position = page == 0 ? d : 1 - d;
      const bool clicked = (pattern >> shown) & 1;
      const double rate = kLooks[position] * kRelevance[d];
      probability *= clicked ? rate : 1 - rate;
      const std::string document = numbered("d", d);
      counter.add({.query = "q0", .document = document, .position = position + 1, .clicks = clicked ? 1.0 : 0.0});
    }
    const ClickJudge judge(data, counter.finish(), truth_of(kLooks), plain("ips"));
    const std::vector<double> scores = {1, 2};
    mean += probability * judge.evaluate(scores, std::vector<std::string>{"dcg"}).table.measures[0].mean;
  }
  EXPECT_NEAR(mean, kRelevance[1] + discount(2) * kRelevance[0], 1e-12);
}

// On expected counts the ratio is exact, and does not depend on a factor of the propensities.
TEST(ClickEvaluation, SnipsIsTheMeanDiscountOfRelevance) {
  ClickWorld world;
  world.expected = true;
  const Dataset data = documents_of(world.queries, world.documents);
  std::vector<double> scores;
  double value = 0, relevance = 0;
  for (std::size_t q = 0; q < world.queries; ++q)
    for (std::size_t d = 0; d < world.documents; ++d) {
      scores.push_back(-real(d));
      value += discount(d + 1) * test::relevance_of(q, d);
      relevance += test::relevance_of(q, d);
    }
  const std::vector<std::string> measures = {"dcg"};
  for (const double factor : {1.0, 0.5}) {
    std::vector<double> looks = world.propensity;
    for (double& p : looks) p *= factor;
    const ClickJudge judge(data, log_of(world), truth_of(looks), plain("snips"));
    EXPECT_NEAR(judge.evaluate(scores, measures).table.measures[0].mean, value / relevance, 1e-12);
  }
  const ClickJudge ips(data, log_of(world), truth_of(world.propensity), plain("ips"));
  EXPECT_NEAR(ips.evaluate(scores, measures).table.measures[0].mean, value / real(world.queries), 1e-12);
}

// The error of a ratio of sums shrinks with the number of queries, its bias faster than its spread.
TEST(ClickEvaluation, SnipsIsConsistent) {
  const auto mean_error = [](std::size_t queries) {
    double bias = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      ClickWorld world;
      world.queries = queries;
      world.sessions = 2;
      world.seed = seed;
      const Dataset data = documents_of(queries, world.documents);
      std::vector<double> scores;
      double value = 0, relevance = 0;
      for (std::size_t q = 0; q < queries; ++q)
        for (std::size_t d = 0; d < world.documents; ++d) {
          scores.push_back(-real(d));
          value += discount(d + 1) * test::relevance_of(q, d);
          relevance += test::relevance_of(q, d);
        }
      const ClickJudge judge(data, log_of(world), truth_of(world.propensity), plain("snips"));
      const std::vector<std::string> measures = {"dcg"};
      bias += std::abs(judge.evaluate(scores, measures).table.measures[0].mean - value / relevance) / 100;
    }
    return bias;
  };
  const double few = mean_error(10), many = mean_error(160);
  EXPECT_LT(many, few / 3);  // a quarter, were it spread alone
}

TEST(ClickEvaluation, RefusesMeasuresThatAreNoSums) {
  for (const char* measure : {"ndcg@10", "mrr", "map", "err@10", "recall@5", "auc", "wta", "precision@5:rel=2"})
    EXPECT_NE(message_of([&] { additive_measure(measure); }, ErrorCode::unsupported)
                  .find("is no sum of position weight times relevance"),
              std::string::npos)
        << measure;
  EXPECT_EQ(
      message_of([] { additive_measure("dcg@10:gain=exp2"); }, ErrorCode::unsupported),
      "dcg@10:gain=exp2 is no sum of position weight times relevance, so that clicks give no unbiased estimate of "
      "it; expected dcg, precision, rbp, eru or avgrank, with gains as they are");
  EXPECT_EQ(additive_measure("dcg")->name(), "dcg:gain=linear");
  EXPECT_EQ(additive_measure("P@5")->name(), "precision@5:gain=linear");
  EXPECT_EQ(additive_measure("rbp:p=0.9")->name(), "rbp:p=0.9,gain=linear");
  EXPECT_EQ(additive_measure("dcg@10:gain=linear")->name(), "dcg@10:gain=linear");
  for (const char* measure : {"eru", "avgrank"}) EXPECT_EQ(additive_measure(measure)->name(), measure);
}

// Clicks at propensities 1 and .1: weights 1 and 10, clipped at .2: 1 and 5.
TEST(ClickEvaluation, EvidenceByHand) {
  ClickCounter counter;
  counter.add({.query = "q0", .document = "d0", .position = 1, .impressions = 4, .clicks = 3});
  counter.add({.query = "q0", .document = "d1", .position = 2, .impressions = 4, .clicks = 1});
  counter.add({.query = "q0", .document = "lost", .position = 1, .impressions = 4, .clicks = 2});
  counter.add({.query = "other", .document = "d0", .position = 1, .impressions = 4, .clicks = 0});
  const ClickCounts counts = counter.finish();
  const ClickJudge judge(documents_of(2, 3), counts, truth_of({1, .1}), plain("ips", .2));
  const ClickEvidence& evidence = judge.evidence();
  EXPECT_EQ(evidence.clicks, 6);
  EXPECT_NEAR(evidence.effective_clicks, 100.0 / 30, 1e-12);  // (5 + 5)^2 / (5 + 25)
  EXPECT_NEAR(evidence.clipped_share, 1.0 / 3, 1e-12);        // 10 of 15
  EXPECT_EQ(evidence.never_shown, 1u);
  EXPECT_EQ(evidence.documents_unknown, 1u);
  EXPECT_EQ(evidence.clicks_unknown, 2);
  EXPECT_EQ(evidence.queries_unknown, 1u);
  EXPECT_EQ(evidence.queries, 1u);
  EXPECT_NEAR(judge.gains()[0], .75, 1e-15);
  EXPECT_NEAR(judge.gains()[1], 1.25, 1e-15);
  const std::vector<double> scores = {1, 2, 3, 0, 0, 0};
  const ClickEvaluation found = judge.evaluate(scores, std::vector<std::string>{"precision@2"});
  EXPECT_NEAR(found.table.measures[0].mean, 1.25 / 2, 1e-15);
  EXPECT_EQ(found.table.measures[0].skipped, 1u);
  EXPECT_NEAR(found.unseen[0], .5, 1e-15);
}

TEST(ClickEvaluation, RefusesWhatItCannotJudge) {
  ClickCounter counter;
  counter.add({.query = "x", .document = "d0", .position = 1, .impressions = 4, .clicks = 3});
  const ClickCounts counts = counter.finish();
  const Dataset data = documents_of(1, 2);
  EXPECT_EQ(message_of([&] { ClickJudge(data, counts, truth_of({1})); }, ErrorCode::bad_input),
            "the log and the documents have no query in common; expected the same query ids");
  EXPECT_NE(message_of(
                [&] {
                  ClickJudge(data, one_page(3), truth_of({1, .5}));
                },
                ErrorCode::bad_input)
                .find("position"),
            std::string::npos);
  EXPECT_NE(message_of([&] { ClickJudge(data, counts, truth_of({1}), plain("ipss")); }, ErrorCode::unknown_name)
                .find("did you mean \"ips\"?"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { ClickJudge(documents_of(1, 5), one_page(3), truth_of(kLooks), plain("ips+model")); },
                       ErrorCode::bad_input),
            "ips+model predicts relevance from features, and the documents have none");
}

// Queries drawn from 2,000 whose mean value is known; 95 % intervals over 200 logs.
TEST(ClickEvaluation, IntervalsCover) {
  constexpr std::size_t kPopulation = 2000, kDrawn = 150, kDocuments = 5;
  const std::vector<double> looks = {1, .6, .4, .3, .25};
  double truth = 0;
  for (std::size_t q = 0; q < kPopulation; ++q)
    for (std::size_t d = 0; d < kDocuments; ++d)
      truth += discount(d + 1) * test::relevance_of(q, d) / real(kPopulation);
  const Dataset data = documents_of(kDrawn, kDocuments);
  std::vector<double> scores;
  for (std::size_t i = 0; i < kDrawn * kDocuments; ++i) scores.push_back(-real(i % kDocuments));
  std::size_t covered = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed + 12345);
    ClickCounter counter;
    for (std::size_t q = 0; q < kDrawn; ++q) {
      const std::size_t drawn = rng.below(kPopulation);
      for (std::size_t page = 0; page < 3; ++page) {
        const std::vector<std::uint32_t> order = test::order_of(drawn, page, kDocuments);
        for (std::size_t k = 0; k < kDocuments; ++k) {
          const std::string query = numbered("q", q), document = numbered("d", order[k]);
          const bool clicked = rng.uniform() < looks[k] * test::relevance_of(drawn, order[k]);
          counter.add({.query = query,
                       .document = document,
                       .position = static_cast<std::uint32_t>(k + 1),
                       .clicks = clicked ? 1.0 : 0.0});
        }
      }
    }
    ClickEvaluateOptions options = plain("ips");
    options.evaluate.bootstrap = 400;
    options.evaluate.seed = seed;
    const ClickJudge judge(data, counter.finish(), truth_of(looks), options);
    const std::vector<std::string> measures = {"dcg"};
    const MeasureResult found = judge.evaluate(scores, measures).table.measures[0];
    covered += found.low <= truth && truth <= found.high;
  }
  RecordProperty("covered", std::to_string(real(covered) / 200));
  EXPECT_GE(real(covered) / 200, .92);
  EXPECT_LE(real(covered) / 200, .98);
}

// By weights 1, 2, 3 of the queries: by hand, and as if queries stood there so many times.
TEST(ClickEvaluation, WeightedTests) {
  const std::vector<double> a = {.5, .2, .9}, b = {.1, .3, .4}, weights = {1, 2, 3};
  EvaluateOptions options;
  options.bootstrap = 200;
  const PairedTest test = compare(a, b, options, weights);
  EXPECT_NEAR(test.mean_difference, (.4 - 2 * .1 + 3 * .5) / 6, 1e-15);
  EXPECT_EQ(test.wins, 2u);
  // Sums of +-.4 +-.2 +-1.5 that are at least 1.7 away from 0: signs of .4 and 1.5 alike, or all alike
  EXPECT_EQ(test.p_permutation, 4.0 / 8);
  const PairedTest alike = compare(a, b, options), ones = compare(a, b, options, std::vector<double>{1, 1, 1});
  EXPECT_EQ(alike.p_t, ones.p_t);
  EXPECT_EQ(alike.low, ones.low);
}

}  // namespace
}  // namespace dorm

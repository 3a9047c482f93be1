// SPDX-License-Identifier: Apache-2.0
// The bound H against its definition, by enumerating rankings: every trainable measure, decay and bound.
#include "learning/risk/ranking_risk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/vector/vector_ops.h"
#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "learning/kinds.h"
#include "ranking/measure/enumerate.h"
#include "support/case_name.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using test::for_each_ranking;
using test::random_data;

// One example of each family of decay_catalog().
const std::vector<std::string>& decays() {
  static const std::vector<std::string> names = {"measure", "power:0.5",    "power:1",     "log",
                                                 "loglog",  "measure+tail", "exponential", "discount"};
  return names;
}

std::vector<std::string> trainable_measures() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : measure_catalog())
    if (entry.trainable) names.emplace_back(entry.example);
  return names;
}

// One query, its numbers, and everything by enumeration.
struct Enumerated {
  Factors factors;
  std::vector<double> c;
  std::vector<float> labels;

  double ranking_score(const Ranking& ranking, const std::vector<double>& g) const {
    double sum = 0;
    for (std::size_t j = 0; j < ranking.size(); ++j) sum += c[j] * g[ranking[j]];
    return sum;
  }
  double loss(const Ranking& ranking) const { return ideal_value(factors) - value(factors, ranking); }

  double highest(const std::vector<double>& g) const {
    double best = -std::numeric_limits<double>::infinity();
    for_each_ranking(g.size(), [&](const Ranking& r) { best = std::max(best, loss(r) + ranking_score(r, g)); });
    return best;
  }

  Ranking label_order() const {
    Ranking order(labels.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto k) { return labels[i] > labels[k]; });
    return order;
  }

  // f(z0) for scores g, the reference being fixed by the scores `at`.
  double reference_score(Bound bound, const std::vector<double>& at, const std::vector<double>& g) const {
    const Ranking order = label_order();
    if (bound == Bound::given) return ranking_score(order, g);
    if (bound == Bound::average) {
      double sum = 0, documents = 0, total = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        total = documents = 0;
        for (std::size_t j = 0; j < order.size(); ++j)
          if (labels[order[j]] == labels[i]) total += c[j], ++documents;
        sum += g[i] * total / documents;
      }
      return sum;
    }
    Ranking best;
    for_each_ranking(g.size(), [&](const Ranking& r) {
      if (bound == Bound::best && loss(r) > 1e-12) return;
      if (best.empty() || ranking_score(r, at) > ranking_score(best, at) + 1e-14) best = r;
    });
    return ranking_score(best, g);
  }
};

Enumerated enumerated(const Query& query, const FactoredMeasure& measure, const Decay& decay) {
  Enumerated out;
  out.factors = measure.factor(query.labels);
  out.c = decay.values(out.factors.a);
  out.labels.assign(query.labels.begin(), query.labels.end());
  return out;
}

std::vector<double> random_weights(std::size_t d, double scale, Rng& rng) {
  std::vector<double> w(d);
  for (double& x : w) x = scale * rng.normal();
  return w;
}

std::vector<double> scores_of(const LinearFeatures& features, std::size_t q, const std::vector<double>& w) {
  std::vector<double> scores(features.data().query(q).size());
  features.scores(q, w, scores);
  return scores;
}

Ranking predicted(const std::vector<double>& g) {
  Ranking order(g.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto k) { return g[i] > g[k]; });
  return order;
}

class Definition : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  // Every query has a document of label 4 and one of label 0.
  LinearFeatures features_{[] {
    DatasetBuilder builder;
    Rng rng(11);
    for (std::size_t q = 0; q < 5; ++q)
      for (std::size_t i = 0; i < std::min<std::size_t>(3 + q, 6); ++i) {
        const std::string id = std::to_string(q);
        const float other = q == 4 ? 0.0f : static_cast<float>(rng.below(5));  // one hit in six: success@5 can miss it
        const float label = i == 0 ? 4.0f : i == 1 ? 0.0f : other;
        builder.add({label, id}, test::random_row({}, static_cast<double>(label), rng));
      }
    return builder.finish();
  }()};
  FactoredMeasurePtr measure_ = make_trainable(std::get<0>(GetParam()));
  Decay decay_{std::get<1>(GetParam())};

  // The queries in which some ranking has a loss: precision@5 of four documents has none.
  std::vector<std::size_t> usable_queries() const {
    std::vector<std::size_t> out;
    for (std::size_t q = 0; q < features_.data().num_queries(); ++q) {
      const Enumerated truth = enumerated(features_.data().query(q), *measure_, decay_);
      if (truth.highest(std::vector<double>(truth.labels.size(), 0.0)) > 1e-12) out.push_back(q);
    }
    return out;
  }
};

TEST_P(Definition, ValueAndPlaneFollowFromAllRankings) {
  RankingRisk risk(features_, *measure_, decay_, 1);
  const std::vector<std::size_t> queries = usable_queries();
  ASSERT_EQ(risk.num_blocks(), queries.size());
  ASSERT_FALSE(queries.empty());
  const auto workspace = risk.make_workspace();
  Rng rng(3);
  for (const Bound bound : test::kBounds)
    for (const double scale : {0.05, 0.3, 2.0}) {
      const std::vector<double> at = random_weights(4, scale, rng), w = random_weights(4, scale, rng);
      risk.set_reference(bound, at);
      for (std::size_t block = 0; block < queries.size(); ++block) {
        const std::size_t q = queries[block];
        const Enumerated truth = enumerated(features_.data().query(q), *measure_, decay_);
        const std::vector<double> g = scores_of(features_, q, w);
        Plane plane;
        const double value = risk.linearize(block, w, plane, *workspace);
        const double expected = truth.highest(g) - truth.reference_score(bound, scores_of(features_, q, at), g);
        EXPECT_NEAR(value, expected, 1e-10 * (1 + std::abs(expected)));
        EXPECT_NEAR(plane.offset - risk.geometry().dot(w, plane), value, 1e-5 * (1 + std::abs(value)));
        EXPECT_GE(value, truth.loss(predicted(g)) - 1e-10) << "Lemma 1";
        const std::vector<double> u = random_weights(4, 1, rng);
        std::vector<double> ahead = w, behind = w;
        axpy(1e-6, std::span<const double>(u), ahead);
        axpy(-1e-6, std::span<const double>(u), behind);
        Plane ignored;
        const double slope =
            (risk.linearize(block, ahead, ignored, *workspace) - risk.linearize(block, behind, ignored, *workspace)) /
            2e-6;
        EXPECT_NEAR(slope, -risk.geometry().dot(u, plane), 1e-4 * (1 + std::abs(slope)));
      }
    }
}

TEST_P(Definition, EveryPlaneSupportsTheRisk) {
  RankingRisk risk(features_, *measure_, decay_, 1);
  risk.set_reference(Bound::given, {});
  const auto workspace = risk.make_workspace();
  Rng rng(9);
  for (int round = 0; round < 20; ++round) {
    const std::vector<double> w = random_weights(4, 0.5, rng), v = random_weights(4, 0.5, rng);
    for (std::size_t q = 0; q < risk.num_blocks(); ++q) {
      Plane at_w, at_v;
      risk.linearize(q, w, at_w, *workspace);
      EXPECT_GE(risk.linearize(q, v, at_v, *workspace), at_w.offset - risk.geometry().dot(v, at_w) - 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Definition,
                         testing::Combine(testing::ValuesIn(trainable_measures()), testing::ValuesIn(decays())),
                         test::case_name);

TEST(RankingRisk, EveryDecayOfTheCatalogIsTestedHere) {
  for (const CatalogEntry& entry : decay_catalog())
    EXPECT_TRUE(std::any_of(decays().begin(), decays().end(), [&](const std::string& d) {
      return d.substr(0, d.find(':')) == entry.name;
    })) << entry.name;
}

Dataset mixed_queries() {
  DatasetBuilder builder;
  const auto add = [&](std::string_view id, std::vector<float> labels) {
    float x = 0;
    for (const float label : labels) builder.add({label, id}, std::vector<float>{x += 1, label});
  };
  add("usable", {1, 0, 2});
  add("nothing relevant", {0, 0, 0});
  add("one label", {2, 2});
  add("one document", {1});
  add("no weight", {1, 0});
  add("heavy", {0, 1});
  builder.set_query_weight("no weight", 0);
  builder.set_query_weight("heavy", 3);
  return builder.finish();
}

TEST(RankingRisk, LeavesOutQueriesWithNothingToLearn) {
  const LinearFeatures features(mixed_queries());
  RankingRisk risk(features, *make_trainable("ndcg@10"), Decay(), 1);
  ASSERT_EQ(risk.num_blocks(), 2u);
  EXPECT_EQ(risk.longest_query(), 3u);
  risk.set_trade_off(10);
  EXPECT_NEAR(risk.block_weight(0), 5, 1e-12);  // weights 1 and 3, scaled to a mean of 1
  EXPECT_NEAR(risk.block_weight(1), 15, 1e-12);
}

TEST(RankingRisk, LossIsTheWeightedSum) {
  const LinearFeatures features(mixed_queries());
  RankingRisk risk(features, *make_trainable("ndcg@10"), Decay("power:1"), 2);
  risk.set_reference(Bound::given, {});
  const auto workspace = risk.make_workspace();
  const std::vector<double> w = {0.3, -0.2};
  double sum = 0;
  Plane plane;
  for (std::size_t q = 0; q < risk.num_blocks(); ++q)
    sum += risk.block_weight(q) * risk.linearize(q, w, plane, *workspace);
  EXPECT_NEAR(risk.loss(w), sum, 1e-12);
}

TEST(RankingRisk, IsTheSameOnAnyNumberOfThreads) {
  std::vector<std::size_t> lengths;
  for (std::size_t q = 0; q < 200; ++q) lengths.push_back(1 + q % 17);
  const LinearFeatures features(random_data({.lengths = lengths, .seed = 3}));
  const std::vector<double> w = {0.3, -0.2, 0.1, 0.5};
  std::vector<double> truth;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    RankingRisk risk(features, *make_trainable("ndcg@10"), Decay("power:0.5"), threads);
    risk.set_reference(Bound::best, w);
    const auto workspace = risk.make_workspace();
    std::vector<double> seen;
    for (std::size_t b = 0; b < risk.num_blocks(); ++b) {
      Plane plane;
      seen.push_back(risk.linearize(b, w, plane, *workspace));
      seen.push_back(plane.offset);
      seen.push_back(risk.block_weight(b));
      seen.insert(seen.end(), plane.direction.begin(), plane.direction.end());
    }
    if (truth.empty()) truth = seen;
    EXPECT_EQ(seen, truth) << threads;
  }
}

TEST(RankingRisk, SetReferenceCountsTheQueriesThatChanged) {
  const LinearFeatures features(random_data({.lengths = std::vector<std::size_t>(20, 6), .seed = 5}));
  RankingRisk risk(features, *make_trainable("ndcg@3"), Decay("power:1"), 2);
  const std::vector<double> w = {1, 0, 0, 0}, opposite = {-1, 0, 0, 0};
  EXPECT_GT(risk.set_reference(Bound::predicted, w), 0u);
  EXPECT_EQ(risk.set_reference(Bound::predicted, w), 0u);
  EXPECT_EQ(risk.set_reference(Bound::predicted, opposite), risk.num_blocks());
}

TEST(RankingRisk, RefusesDataWithoutAUsableQuery) {
  DatasetBuilder builder;
  builder.add({0, "a"}, std::vector<float>{1});
  builder.add({0, "a"}, std::vector<float>{2});
  const LinearFeatures features(builder.finish());
  const RankingRisk risk(features, *make_trainable("ndcg@10"), Decay(), 1);
  const std::string message =
      test::message_of([&] { require_lists(risk.num_lists(), 1, "ndcg@10"); }, ErrorCode::bad_input);
  EXPECT_NE(message.find("no query to learn ndcg@10 from: 1 queries"), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm

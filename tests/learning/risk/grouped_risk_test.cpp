// SPDX-License-Identifier: Apache-2.0
// The bound H within limits on groups against its definition, by enumerating lists: every trainable measure and bound.
#include <gtest/gtest.h>

#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "dorm/ranking/group_lists.h"
#include "learning/kinds.h"
#include "learning/risk/ranking_risk.h"
#include "ranking/oracle/grouped_instances.h"

namespace dorm {
namespace {

using test::for_each_list;
using test::measure_of;
using test::random_groups;
using test::score_of;

constexpr std::size_t kDocuments = 5, kFeatures = 3;

struct Problem {
  std::vector<float> labels;
  GroupLimits groups;
  Dataset data;
};

Problem random_problem(Rng& rng) {
  Problem out{{}, random_groups(kDocuments, rng), {}};
  DatasetBuilder builder;
  for (std::size_t i = 0; i < kDocuments; ++i) {
    out.labels.push_back(static_cast<float>(rng.below(3)));
    std::vector<float> row(kFeatures);
    for (float& x : row) x = static_cast<float>(rng.normal());
    builder.add({.label = out.labels.back(), .query_id = "1"}, row);
  }
  out.data = builder.finish();
  return out;
}

struct Truth {
  double highest = -1e300, best_lossless = -1e300, predicted = -1e300, loss_of_predicted = 0, ideal = 0;
};

Truth enumerate_lists(Factors factors, const GroupLimits& groups, bool relative, const std::vector<double>& c,
                      const std::vector<double>& g) {
  std::vector<std::uint32_t> list;
  const std::size_t length = list_length(factors.a, groups);
  const auto each = [&](const auto& visit) { for_each_list(groups, length, list, visit); };
  Truth truth;
  each([&](const auto& it) { truth.ideal = std::max(truth.ideal, measure_of(factors, it)); });
  if (relative && truth.ideal > 0) {
    for (double& b : factors.b) b /= truth.ideal;
    truth.ideal = 1;
  }
  each([&](const auto& it) {
    const double score = score_of(c, g, it), loss = truth.ideal - measure_of(factors, it);
    truth.highest = std::max(truth.highest, loss + score);
    if (loss < 1e-12) truth.best_lossless = std::max(truth.best_lossless, score);
    if (score > truth.predicted) truth.predicted = score, truth.loss_of_predicted = loss;
  });
  return truth;
}

TEST(GroupedRisk, IsTheBoundOfItsDefinitionForEveryMeasure) {
  Rng rng(80);
  int learnt = 0;
  for (int round = 0; round < 60; ++round) {
    const Problem problem = random_problem(rng);
    const LinearFeatures features(problem.data);
    std::vector<double> w(kFeatures), g(kDocuments);
    for (double& x : w) x = rng.normal();
    features.scores(0, w, g);
    for (const CatalogEntry& entry : measure_catalog()) {
      if (!entry.trainable) continue;
      const auto measure = make_trainable(entry.example);
      const bool relative =
          entry.name == "ndcg" || entry.name == "mwta" || entry.name == "neru" || entry.name == "relative-precision";
      for (const char* decay : {"measure", "power:0.5"}) {
        const Factors factors = measure->factor(problem.labels);
        const std::vector<double> c = Decay(decay).values(factors.a);
        const Truth truth = enumerate_lists(factors, problem.groups, relative, c, g);
        try {
          RankingRisk risk(features, *measure, Decay(decay), 1, OracleKind::automatic, {problem.groups});
          ++learnt;
          for (Bound bound : test::kBounds) {
            risk.set_reference(bound, w);
            const double value = risk.loss(w);
            ASSERT_GE(value, truth.loss_of_predicted - 1e-9) << entry.name;
            if (bound == Bound::best) {
              ASSERT_NEAR(value, truth.highest - truth.best_lossless, 1e-9) << entry.example << " " << decay;
            }
            if (bound == Bound::predicted) {
              ASSERT_NEAR(value, truth.highest - truth.predicted, 1e-9) << entry.example << " " << decay;
            }
          }
        } catch (const Error&) {  // nothing to learn: all lists are equally good
          const Truth worst =
              enumerate_lists(factors, problem.groups, relative, c, std::vector<double>(kDocuments, 0.0));
          ASSERT_NEAR(worst.highest, 0, 1e-12) << entry.name << " " << decay;
        }
      }
    }
  }
  EXPECT_GT(learnt, 600);
}

}  // namespace
}  // namespace dorm

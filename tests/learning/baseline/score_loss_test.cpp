// SPDX-License-Identifier: Apache-2.0
// Every loss against its definition by enumeration (pairs, labellings, rankings) on small random queries.
#include "learning/baseline/score_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/rng.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using Scores = std::vector<double>;
using Definition = std::function<double(Labels, const Scores&)>;

const Convention kStandard;

struct Case {
  std::string name;
  std::function<ScoreLossPtr(Labels)> make;
  Definition by_definition;
};
std::ostream& operator<<(std::ostream& out, const Case& at) { return out << at.name; }

Scores centred(Scores values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& x : values) x -= mean;
  return values;
}

double tube(Labels labels, const Scores& scores) {
  const Scores y = centred({labels.begin(), labels.end()}), g = centred(scores);
  double sum = 0;
  for (std::size_t i = 0; i < g.size(); ++i) sum += std::max(0.0, std::abs(y[i] - g[i]) - 0.25);
  return sum / static_cast<double>(g.size());
}

double hinge_of_ones(Labels labels, const Scores& scores) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) sum += std::max(0.0, 1 - (labels[i] == 1 ? scores[i] : -scores[i]));
  return sum / static_cast<double>(scores.size());
}

double mean_over_pairs(Labels labels, const Scores& scores, const std::function<double(float, float)>& weight) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (labels[i] <= labels[k]) continue;
      sum += weight(labels[i], labels[k]) * std::max(0.0, 1 - (scores[i] - scores[k]));
      pairs += 1;
    }
  return sum / pairs;
}

double rank_of_clicked(Labels labels, const Scores& scores) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t k = 0; k < scores.size(); ++k)
      if (k != i) sum += std::max(0.0f, labels[i]) * std::max(0.0, 1 - (scores[i] - scores[k]));
  return sum;
}

// All labellings that choose 3 documents.
double precision_at_3(Labels labels, const Scores& scores) {
  const std::size_t l = scores.size();
  double relevant_score = 0, reachable = 0, best = -1e300;
  for (std::size_t i = 0; i < l; ++i)
    if (labels[i] > 0) relevant_score += scores[i], reachable += 1;
  reachable = std::min(reachable, 3.0);
  for (unsigned chosen = 0; chosen < 1u << l; ++chosen) {
    double hits = 0, score = 0, size = 0;
    for (std::size_t i = 0; i < l; ++i)
      if (chosen >> i & 1) size += 1, score += scores[i], hits += labels[i] > 0 ? 1 : 0;
    if (size == 3) best = std::max(best, (reachable - hits + score - relevant_score) / 3);
  }
  return best;
}

// All rankings, with average precision and the sum over pairs as they are defined.
double average_precision(Labels labels, const Scores& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  double relevant = 0, others = 0, best = -1e300;
  for (float label : labels) (label > 0 ? relevant : others) += 1;
  do {
    double precision = 0, hits = 0, swapped = 0;
    for (std::size_t p = 0; p < order.size(); ++p) {
      if (labels[order[p]] <= 0) continue;
      precision += ++hits / static_cast<double>(p + 1) / relevant;
      for (std::size_t r = 0; r < p; ++r)
        if (labels[order[r]] <= 0) swapped += 2 * (scores[order[p]] - scores[order[r]]);
    }
    best = std::max(best, 1 - precision - swapped / (relevant * others));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

const PairWeights kWeights{{0, 1, 2}, {0, 0, 0, 0.5, 0, 0, 3, 0.25, 0}};

std::vector<float> as_relevance(Labels labels) {
  std::vector<float> out;
  for (float label : labels) out.push_back(label > 0 ? 1.0f : 0.0f);
  return out;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"tube", [](Labels y) { return epsilon_insensitive(y, 0.25); }, tube},
      {"class", [](Labels y) { return class_hinge(y, 1); }, hinge_of_ones},
      {"class_weighted",
       [](Labels y) {
         return class_hinge(y, 1, {3, 0.5});
       },
       [](Labels y, const Scores& g) {
         double sum = 0;
         for (std::size_t i = 0; i < g.size(); ++i)
           sum += y[i] == 1 ? 3 * std::max(0.0, 1 - g[i]) : 0.5 * std::max(0.0, 1 + g[i]);
         return sum / static_cast<double>(g.size());
       }},
      {"pairs", pairwise_mean,
       [](Labels y, const Scores& g) { return mean_over_pairs(y, g, [](float, float) { return 1.0; }); }},
      {"roc", [](Labels y) { return roc_area(y, kStandard); },
       [](Labels y, const Scores& g) { return mean_over_pairs(as_relevance(y), g, [](float, float) { return 1.0; }); }},
      {"clicked", clicked_rank, rank_of_clicked},
      {"weighted", [](Labels y) { return pairwise_weighted(y, kWeights); },
       [](Labels y, const Scores& g) {
         return mean_over_pairs(y, g, [](float a, float b) {
           return kWeights.at(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
         });
       }},
      {"precision", [](Labels y) { return precision_hinge(y, 3, kStandard); }, precision_at_3},
      {"average_precision", [](Labels y) { return average_precision_hinge(y, kStandard); }, average_precision},
  };
  return all;
}

class EveryLoss : public testing::TestWithParam<Case> {};

// Scores on a coarse grid, so that ties and margins of exactly 1 occur.
Scores random_scores(Rng& rng, std::size_t l) {
  Scores scores(l);
  for (double& g : scores) g = std::round(rng.normal() * 4) / 4;
  return scores;
}

TEST_P(EveryLoss, EqualsItsDefinitionAndItsPlaneSupportsIt) {
  Rng rng(7);
  LossWorkspace workspace;
  int met = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t l = 4 + rng.below(3);
    std::vector<float> labels(l);
    for (float& label : labels) label = static_cast<float>(rng.below(3));
    const ScoreLossPtr loss = GetParam().make(labels);
    if (!loss) continue;
    ++met;
    const Scores scores = random_scores(rng, l), elsewhere = random_scores(rng, l);
    std::vector<double> delta(l);
    const double offset = loss->linearize(scores, delta, workspace);
    const auto plane = [&](const Scores& g) {
      return offset - std::inner_product(g.begin(), g.end(), delta.begin(), 0.0);
    };
    EXPECT_NEAR(plane(scores), GetParam().by_definition(labels, scores), 1e-12);
    EXPECT_LE(plane(elsewhere), GetParam().by_definition(labels, elsewhere) + 1e-12);
  }
  EXPECT_GT(met, 200);
}

INSTANTIATE_TEST_SUITE_P(All, EveryLoss, testing::ValuesIn(cases()), [](const auto& at) { return at.param.name; });

TEST(ScoreLoss, HasNothingToLearnFromOneKindOfDocument) {
  const std::vector<float> same = {1, 1, 1, 1};
  EXPECT_EQ(pairwise_mean(same), nullptr);
  EXPECT_EQ(roc_area(same, kStandard), nullptr);
  EXPECT_EQ(precision_hinge(same, 2, kStandard), nullptr);
  EXPECT_EQ(average_precision_hinge(same, kStandard), nullptr);
  EXPECT_EQ(pairwise_weighted(same, kWeights), nullptr);
  EXPECT_EQ(precision_hinge(std::vector<float>{0, 1, 1}, 3, kStandard), nullptr);  // one labelling only
}

}  // namespace
}  // namespace dorm

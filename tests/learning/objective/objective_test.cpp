// SPDX-License-Identifier: Apache-2.0
#include "dorm/objective.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "dorm/error.h"
#include "ranking/oracle/instances.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::message_of;

struct Problem {
  std::string measure, decay;
  bool ramp;
  double margin;
  std::vector<float> labels;
  std::vector<double> scores;

  ObjectiveOptions options(double sigma) const {
    ObjectiveOptions out;
    out.measure = measure;
    out.decay = decay;
    out.reference = ramp ? "predicted" : "best";
    out.margin = margin;
    out.sigma = sigma;
    out.threads = 1;
    return out;
  }
};

Problem random_problem(std::size_t l, Rng& rng) {
  static const std::vector<std::string> kMeasures = {"ndcg@3", "ndcg", "dcg@4", "precision@2", "mrr",
                                                     "wta",    "eru",  "rbp",   "mwta",        "ndcg@10"};
  static const std::vector<std::string> kDecays = {"auto", "discount", "power:0.5", "measure+tail"};
  Problem out{kMeasures[rng.below(kMeasures.size())],
              kDecays[rng.below(kDecays.size())],
              rng.below(2) == 0,
              std::exp2(rng.uniform() * 4 - 2),
              {},
              {}};
  for (std::size_t i = 0; i < l; ++i) {
    out.labels.push_back(static_cast<float>(rng.below(4)));
    out.scores.push_back(rng.normal());
  }
  return out;
}

// The loss of the header, ranking by ranking: max of margin Delta + f, less the largest f of a reference.
double enumerated_loss(const Problem& problem, std::span<const double> scores) {
  const Factors factors = make_trainable(problem.measure)->factor(problem.labels);
  const std::string name = problem.decay != "auto" ? problem.decay : problem.ramp ? "measure" : "discount";
  const std::vector<double> c = Decay(name).values(factors.a);
  const double ideal = ideal_value(factors);
  std::vector<std::uint32_t> ranking(scores.size());
  std::iota(ranking.begin(), ranking.end(), 0u);
  double violated = -1e300, reference = -1e300;
  do {
    double f = 0;
    for (std::size_t j = 0; j < ranking.size(); ++j) f += c[j] * scores[ranking[j]];
    const double delta = ideal - value(factors, ranking);
    violated = std::max(violated, problem.margin * delta + f);
    if (problem.ramp || delta < 1e-12) reference = std::max(reference, f);
  } while (std::next_permutation(ranking.begin(), ranking.end()));
  return violated - reference;
}

bool can_be_learnt(const Problem& problem) {
  const Factors factors = make_trainable(problem.measure)->factor(problem.labels);
  const auto [low, high] = std::minmax_element(factors.b.begin(), factors.b.end());
  return *low < *high && factors.a.front() > factors.a.back();
}

TEST(Objective, LossAndGradientAreThoseOfTheEnumeratedLoss) {
  Rng rng(7);
  double worst = 0;
  std::size_t slopes = 0;
  for (std::size_t trial = 0; trial < 900; ++trial) {
    const std::size_t l = 2 + rng.below(5);
    const Problem problem = random_problem(l, rng);
    const std::vector<std::uint64_t> ends = {l};
    const Objective objective(problem.labels, ends, problem.options(0));
    std::vector<double> gradient(l), curvature(l);
    objective.gradient(problem.scores, 0, gradient, curvature);
    if (!can_be_learnt(problem)) {
      EXPECT_EQ(gradient, std::vector<double>(l, 0.0));
      EXPECT_EQ(curvature, std::vector<double>(l, 0.0));
      continue;
    }
    const double loss = enumerated_loss(problem, problem.scores);
    ASSERT_NEAR(objective.losses(problem.scores)[0], loss, 1e-9) << problem.measure << " " << problem.decay;
    for (std::size_t i = 0; i < l; ++i) {
      const double h = 1e-5;
      std::vector<double> moved = problem.scores;
      moved[i] += h;
      const double up = enumerated_loss(problem, moved);
      moved[i] -= 2 * h;
      const double down = enumerated_loss(problem, moved);
      if (std::abs(up + down - 2 * loss) > 1e-9) continue;  // a kink
      const double error = std::abs((up - down) / (2 * h) - gradient[i]);
      worst = std::max(worst, error);
      ++slopes;
      ASSERT_LT(error, 1e-7) << problem.measure << " " << problem.decay << " ramp " << problem.ramp;
      EXPECT_NEAR(curvature[i], std::abs(gradient[i]) + 1e-3, 1e-12);
    }
  }
  EXPECT_GT(slopes, 3000u);
  RecordProperty("worst_error", std::to_string(worst));
}

struct Long {
  std::vector<float> labels;
  std::vector<std::uint64_t> ends;
  std::vector<double> scores;
};

Long random_queries(std::uint64_t seed) {
  Rng rng(seed);
  Long out;
  for (int q = 0; q < 40; ++q) {
    const std::size_t l = 1 + rng.below(60);
    for (std::size_t i = 0; i < l; ++i) {
      out.labels.push_back(static_cast<float>(rng.below(q % 10 == 0 ? 1 : 5)));
      out.scores.push_back(rng.normal());
    }
    out.ends.push_back(out.labels.size());
  }
  return out;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(Objective, GradientIsThatOfTheSmoothedLossByMonteCarlo) {
  const Long data = random_queries(3);
  for (const char* reference : {"best", "predicted"}) {
    ObjectiveOptions options;
    options.reference = reference;
    options.threads = 1;
    const Objective objective(data.labels, data.ends, options);
    const std::size_t n = data.labels.size(), rounds = 300;
    Rng rng(5);
    std::vector<double> direction(n), up = data.scores, down = data.scores, gradient(n), curvature(n);
    const double h = 0.02;
    for (std::size_t i = 0; i < n; ++i) {
      direction[i] = rng.normal() / std::sqrt(static_cast<double>(n));
      up[i] += h * direction[i];
      down[i] -= h * direction[i];
    }
    double slope = 0, difference = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::vector<double> losses = objective.gradient(data.scores, round, gradient, curvature);
      if (round == 0) {
        EXPECT_NEAR(sum(losses), sum(objective.losses(data.scores, round)), 1e-9);
      }
      slope += std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
      difference += (sum(objective.losses(up, round)) - sum(objective.losses(down, round))) / (2 * h);
    }
    EXPECT_NEAR(slope / static_cast<double>(rounds), difference / static_cast<double>(rounds), 2e-3) << reference;
    EXPECT_GT(std::abs(slope) / static_cast<double>(rounds), 5e-3) << "a slope that says nothing";
  }
}

TEST(Objective, DependsOnSeedAndRoundButNotOnThreads) {
  const Long data = random_queries(11);
  const std::size_t n = data.labels.size();
  const auto gradient_of = [&](std::size_t threads, std::uint64_t seed, std::uint64_t round) {
    ObjectiveOptions options;
    options.threads = threads;
    options.seed = seed;
    std::vector<double> gradient(n), curvature(n);
    Objective(data.labels, data.ends, options).gradient(data.scores, round, gradient, curvature);
    return gradient;
  };
  EXPECT_EQ(gradient_of(1, 1, 4), gradient_of(3, 1, 4));
  EXPECT_NE(gradient_of(1, 1, 4), gradient_of(1, 1, 5));
  EXPECT_NE(gradient_of(1, 1, 4), gradient_of(1, 2, 4));
}

TEST(Objective, WeightsMultiplyWholeQueries) {
  const Long data = random_queries(13);
  const std::size_t n = data.labels.size();
  std::vector<double> weights(data.ends.size(), 1.0);
  weights[1] = 2.5;
  weights[2] = 0;
  std::vector<double> plain(n), weighted(n), curvature(n);
  Objective(data.labels, data.ends).gradient(data.scores, 0, plain, curvature);
  Objective(data.labels, data.ends, {}, weights).gradient(data.scores, 0, weighted, curvature);
  for (std::size_t q = 0; q < data.ends.size(); ++q)
    for (std::size_t i = q == 0 ? 0 : data.ends[q - 1]; i < data.ends[q]; ++i)
      EXPECT_NEAR(weighted[i], weights[q] * plain[i], 1e-12);
}

TEST(Objective, GradientsOfAQuerySumToZero) {
  const Long data = random_queries(17);
  std::vector<double> gradient(data.labels.size()), curvature(data.labels.size());
  Objective(data.labels, data.ends).gradient(data.scores, 2, gradient, curvature);
  EXPECT_NEAR(sum(gradient), 0, 1e-9);
}

TEST(Objective, MistakesAreNamed) {
  const std::vector<float> labels = {1, 0, 2};
  const std::vector<std::uint64_t> ends = {3}, short_ends = {2};
  EXPECT_EQ(message_of([&] { Objective(labels, short_ends); }),
            "the queries hold 2 documents together, but there are 3 labels");
  EXPECT_EQ(message_of([&] {
              Objective(labels, ends, {}, std::vector<double>{1, 1});
            }),
            "2 query weights for 1 queries; expected one per query");
  EXPECT_EQ(message_of([&] { Objective(labels, ends, {}, std::vector<double>{-1}); }),
            "the weight of query 0 is -1; expected a number, 0 or more");
  ObjectiveOptions options;
  options.sigma = -1;
  EXPECT_EQ(message_of([&] { Objective(labels, ends, options); }), "sigma is -1; expected a number, 0 or more");
  options.sigma = 1e301;
  EXPECT_EQ(message_of([&] { Objective(labels, ends, options); }),
            "sigma is 1e+301; expected at most 1e+300 times the margin");
  options = {};
  options.reference = "given";
  EXPECT_EQ(message_of([&] { Objective(labels, ends, options); }),
            "unknown reference \"given\"; expected best (hinge), predicted (ramp)");
  options = {};
  options.measure = "map";
  EXPECT_NE(message_of([&] { Objective(labels, ends, options); }).find("ndcg"), std::string::npos);
  const Objective objective(labels, ends);
  std::vector<double> gradient(3), curvature(3);
  for (const auto& [score, text] : {std::pair{std::numeric_limits<double>::quiet_NaN(), "nan"}, {1e301, "1e+301"}}) {
    const std::vector<double> bad = {0, score, 1};
    EXPECT_EQ(message_of([&] { objective.gradient(bad, 0, gradient, curvature); }),
              fmt::format("the score of document 1 is {}; expected a finite number, at most 1e+300 times the margin "
                          "(is the learning rate too large?)",
                          text));
  }
  EXPECT_EQ(message_of([&] { objective.gradient(std::vector<double>(2), 0, gradient, curvature); }),
            "2 scores for 3 documents; expected one per document");
}

TEST(Objective, OneQueryOfAHundredThousandDocuments) {
  Rng rng(23);
  const std::size_t n = 100000;
  std::vector<float> labels(n);
  std::vector<double> scores(n), gradient(n), curvature(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<float>(rng.below(5));
    scores[i] = rng.normal();
  }
  const std::vector<std::uint64_t> ends = {n};
  for (const char* reference : {"best", "predicted"}) {
    ObjectiveOptions options;
    options.reference = reference;
    Objective(labels, ends, options).gradient(scores, 0, gradient, curvature);
    EXPECT_GT(*std::max_element(gradient.begin(), gradient.end()), 0);
    EXPECT_NEAR(sum(gradient), 0, 1e-6);
  }
}

}  // namespace
}  // namespace dorm

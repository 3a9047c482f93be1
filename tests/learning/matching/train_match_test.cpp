// SPDX-License-Identifier: Apache-2.0
// Learning to match: certificates, bounds of the loss, and that it learns what matters.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/matching/match.h"
#include "learning/matching/match_risk.h"
#include "learning/matching/worlds.h"
#include "support/message_of.h"

namespace dorm {
namespace {

/// Pairs of a graph and a shuffled, disturbed copy. Feature 0 tells nodes apart, the others are noise.
struct Copies {
  GraphSet set;
  std::vector<GraphPair> pairs;
};

Copies noisy_copies(std::size_t count, std::size_t nodes, std::size_t outliers, std::uint64_t seed) {
  Rng rng(seed);
  Copies out;
  out.set.node_features = {"signal", "noise1", "noise2"};
  out.set.edge_features = {"length"};
  for (std::size_t p = 0; p < count; ++p) {
    Graph a = test::random_graph(nodes, 0.4, rng, 3, 1);
    Match place(nodes);
    std::iota(place.begin(), place.end(), 0u);
    rng.shuffle(std::span(place));
    Graph b;
    for (std::size_t v = 0; v < nodes + outliers; ++v) b.nodes.add("m" + std::to_string(v));
    for (std::size_t k = 0; k < (nodes + outliers) * 3; ++k) b.node_values.push_back(rng.normal());
    for (std::size_t v = 0; v < nodes; ++v) b.node_values[place[v] * 3] = a.node_values[v * 3] + 0.2 * rng.normal();
    for (const GraphEdge& edge : a.edges) b.edges.push_back({place[edge.from], place[edge.to]});
    b.edge_values = a.edge_values;
    const std::string name = std::to_string(p);
    for (auto& [graph, side] : {std::pair{&a, "a"}, std::pair{&b, "b"}}) {
      out.set.names.add(side + name);
      out.set.graphs.push_back(*graph);
    }
    out.pairs.push_back({static_cast<std::uint32_t>(2 * p), static_cast<std::uint32_t>(2 * p + 1), place});
  }
  return out;
}

TEST(TrainMatch, LearnsWhichFeatureTells) {
  const Copies train = noisy_copies(12, 8, 0, 1), test = noisy_copies(20, 8, 0, 2);
  MatchOptions options{.kind = MatchKind::linear};
  const double before =
      mean_loss(predict_matches(unlearnt_match(train.set, train.pairs, options), test.set, test.pairs));
  const MatchResult learnt = train_match(train.set, train.pairs, options);
  const double after = mean_loss(predict_matches(learnt.model, test.set, test.pairs));
  EXPECT_LT(after, before - 0.1);
  EXPECT_GT(learnt.model.weights[0], 3 * std::abs(learnt.model.weights[1]));
  EXPECT_LE(learnt.model.gap, 1e-3);
  EXPECT_LE(learnt.model.dual, learnt.model.primal);
  EXPECT_EQ(learnt.model.looseness, 0);
  EXPECT_LE(learnt.model.training_loss, learnt.model.loss_bound + 1e-9);
}

TEST(TrainMatch, EdgesHelpAndTheBoundIsOne) {
  const Copies train = noisy_copies(8, 7, 0, 3), test = noisy_copies(12, 7, 0, 4);
  const MatchResult nodes = train_match(train.set, train.pairs, {.kind = MatchKind::linear});
  const MatchResult edges = train_match(train.set, train.pairs, {.kind = MatchKind::quadratic});
  const double by_nodes = mean_loss(predict_matches(nodes.model, test.set, test.pairs));
  const double by_edges = mean_loss(predict_matches(edges.model, test.set, test.pairs));
  EXPECT_LT(by_edges, by_nodes);
  EXPECT_LE(edges.model.training_loss, edges.model.loss_bound + 1e-9);
  EXPECT_GE(edges.model.looseness, 0);
  for (std::size_t r = 1; r < edges.rounds.size(); ++r) EXPECT_LT(edges.rounds[r].primal, edges.rounds[r - 1].primal);
}

TEST(TrainMatch, SeparationIsNeverBelowTheEnumeratedMaximum) {
  for (const bool unmatched : {false, true}) {
    const Copies copies = noisy_copies(3, 5, unmatched ? 1 : 0, 5);
    MatchModel model = unlearnt_match(copies.set, copies.pairs, {.unmatched = unmatched});
    const MatchRisk risk(model, copies.set, copies.pairs);
    Rng rng(6);
    const auto workspace = risk.make_workspace();
    for (int trial = 0; trial < 5; ++trial)
      for (std::size_t p = 0; p < copies.pairs.size(); ++p) {
        for (double& weight : model.weights) weight = rng.normal();
        const GraphPair& pair = copies.pairs[p];
        const PairFeatures features(model, copies.set.graphs[pair.first], copies.set.graphs[pair.second]);
        const PairScores scores = features.scores(model.weights);
        const double truth = match_value(features.shape(), scores, pair.match);
        const auto nodes = static_cast<double>(pair.match.size());
        double worst = 0;
        test::for_each_match(features.shape(), [&](const Match& match) {
          const double score = (match_value(features.shape(), scores, match) - truth) / nodes;
          worst = std::max(worst, hamming_loss(pair.match, match, unmatched) + score);
        });
        Plane plane;
        EXPECT_GE(risk.linearize(p, model.weights, plane, *workspace), worst - 1e-6);
      }
  }
}

TEST(TrainMatch, LinearSeparationIsExact) {
  const Copies copies = noisy_copies(4, 6, 0, 8);
  MatchModel model = unlearnt_match(copies.set, copies.pairs, {.kind = MatchKind::linear});
  const MatchRisk risk(model, copies.set, copies.pairs);
  const auto workspace = risk.make_workspace();
  for (std::size_t p = 0; p < copies.pairs.size(); ++p) {
    const GraphPair& pair = copies.pairs[p];
    const PairFeatures features(model, copies.set.graphs[pair.first], copies.set.graphs[pair.second]);
    const PairScores scores = features.scores(model.weights);
    double worst = -1e300;
    test::for_each_match(features.shape(), [&](const Match& match) {
      worst =
          std::max(worst, hamming_loss(pair.match, match, false) + match_value(features.shape(), scores, match) / 6);
    });
    Plane plane;
    const double truth = match_value(features.shape(), scores, pair.match) / 6;
    EXPECT_NEAR(risk.linearize(p, model.weights, plane, *workspace), worst - truth, 1e-6);
  }
}

TEST(TrainMatch, OutliersStayAlone) {
  const Copies train = noisy_copies(12, 8, 4, 9), test = noisy_copies(12, 8, 4, 10);
  const MatchResult learnt = train_match(train.set, train.pairs, {.unmatched = true});
  EXPECT_LE(learnt.model.training_loss, learnt.model.loss_bound + 1e-9);
  EXPECT_LT(mean_loss(predict_matches(learnt.model, test.set, test.pairs)), 0.5);
}

TEST(TrainMatch, RefusesATruthThatNoPredictionCouldHave) {
  Copies copies = noisy_copies(2, 5, 0, 11);
  copies.pairs[1].match[3] = kUnmatched;
  EXPECT_EQ(test::message_of([&] { train_match(copies.set, copies.pairs); }),
            "pair 2: 4 of the 5 nodes of the smaller graph have a true partner; expected all, or the option that nodes "
            "may stay unmatched");
  copies.pairs[1].match = {};
  EXPECT_EQ(test::message_of([&] { train_match(copies.set, copies.pairs); }), "pair 2 has no true partners");
  EXPECT_EQ(test::message_of([&] { train_match(copies.set, {}); }), "no pairs of graphs to learn from");
  copies.pairs[1].match = {0, 1, 2, 3, 3};
  EXPECT_EQ(test::message_of([&] { train_match(copies.set, copies.pairs); }),
            "pair 2: node 'm3' of the second graph has two partners");
}

}  // namespace
}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Quadratic assignments against the enumeration of all matchings.
#include <gtest/gtest.h>

#include <cmath>

#include "learning/matching/local_search.h"
#include "learning/matching/worlds.h"

namespace dorm {
namespace {

struct SmallPair {
  std::size_t rows, columns;
  double density;
  bool directed, partial, signs;  // scores of both signs
};

PairScores random_scores(const PairShape& shape, bool signs, Rng& rng) {
  PairScores scores;
  for (std::size_t k = 0; k < shape.rows * shape.columns; ++k) scores.node.push_back(rng.normal());
  for (std::size_t k = 0; k < shape.edge_cells(); ++k) scores.edge.push_back(signs ? rng.normal() : rng.uniform());
  return scores;
}

double enumerated(const PairShape& shape, const PairScores& scores) {
  double best = -1e300;
  test::for_each_match(shape, [&](const Match& match) { best = std::max(best, match_value(shape, scores, match)); });
  return best;
}

/// What the score of a matching is, by the definition.
double score_of(const Graph& a, const Graph& b, const PairScores& scores, const Match& match, bool directed) {
  double value = 0;
  for (std::size_t i = 0; i < match.size(); ++i)
    if (match[i] != kUnmatched) value += scores.node[i * b.size() + match[i]];
  for (std::size_t e = 0; e < a.edges.size(); ++e)
    for (std::size_t f = 0; f < b.edges.size(); ++f) {
      const std::uint32_t from = match[a.edges[e].from], to = match[a.edges[e].to];
      const bool straight = from == b.edges[f].from && to == b.edges[f].to;
      const bool crosswise = from == b.edges[f].to && to == b.edges[f].from;
      if (straight || (!directed && crosswise)) value += scores.edge[e * b.edges.size() + f];
    }
  return value;
}

class SmallPairs : public testing::TestWithParam<SmallPair> {};

TEST_P(SmallPairs, BoundIsAboveEveryMatchingAndTheFoundOneIsAmongThem) {
  const SmallPair& given = GetParam();
  Rng rng(given.rows * 100 + given.columns);
  double plain_excess = 0, excess = 0, missed = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Graph a = test::random_graph(given.rows, given.density, rng, 0, 0, given.directed);
    const Graph b = test::random_graph(given.columns, given.density, rng, 0, 0, given.directed);
    const PairShape shape(a, b, given.directed, given.partial);
    const PairScores scores = random_scores(shape, given.signs, rng);
    const double best = enumerated(shape, scores);
    const RelaxedMatch plain = best_relaxed(shape, scores, {});
    const BoundedMatch found = best_match(shape, scores, 200);
    EXPECT_GE(plain.value, best - 1e-9);
    EXPECT_GE(found.bound, best - 1e-9);
    EXPECT_LE(found.bound, plain.value + 1e-9);
    EXPECT_LE(found.value, best + 1e-9);
    EXPECT_NEAR(found.value, score_of(a, b, scores, found.match, given.directed), 1e-9);
    plain_excess += plain.value - best;
    excess += found.bound - best;
    missed += best - found.value;
  }
  RecordProperty("plain_excess", std::to_string(plain_excess / 12));
  RecordProperty("excess", std::to_string(excess / 12));
  RecordProperty("missed", std::to_string(missed / 12));
  EXPECT_LE(excess, plain_excess);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, SmallPairs,
    testing::Values(SmallPair{5, 5, 0.5, false, false, false}, SmallPair{7, 7, 0.4, false, false, false},
                    SmallPair{8, 8, 0.3, false, false, false}, SmallPair{8, 8, 0.7, false, false, false},
                    SmallPair{6, 6, 0.5, true, false, false}, SmallPair{6, 6, 0.5, false, false, true},
                    SmallPair{4, 7, 0.5, false, false, false}, SmallPair{7, 4, 0.5, true, false, true},
                    SmallPair{5, 6, 0.5, false, true, true}, SmallPair{6, 5, 0.5, true, true, false}));

TEST(Quadratic, NodesAloneAreMatchedExactly) {
  Rng rng(7);
  for (const bool partial : {false, true})
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{8, 8}, {3, 6}, {7, 4}, {1, 1}}) {
      const Graph a = test::random_graph(rows, 0, rng), b = test::random_graph(columns, 0, rng);
      const PairShape shape(a, b, false, partial);
      const PairScores scores = random_scores(shape, true, rng);
      const BoundedMatch found = best_match(shape, scores, 0);
      EXPECT_NEAR(found.value, enumerated(shape, scores), 1e-9);
      EXPECT_EQ(found.value, found.bound);
      EXPECT_NEAR(found.value, match_value(shape, scores, found.match), 1e-12);
    }
}

TEST(Quadratic, MultipliersCancelWhereEndsAgree) {
  Rng rng(3);
  const Graph a = test::random_graph(5, 0.6, rng), b = test::random_graph(5, 0.6, rng);
  const PairShape shape(a, b, false, false);
  const PairScores scores = random_scores(shape, false, rng);
  const double best = enumerated(shape, scores);
  for (int trial = 0; trial < 50; ++trial) {
    Multipliers any;
    for (std::size_t k = 0; k < shape.edge_cells(); ++k) {
      any.straight.push_back(rng.normal());
      any.crosswise.push_back(rng.normal());
    }
    EXPECT_GE(best_relaxed(shape, scores, any).value, best - 1e-9);
  }
}

TEST(Quadratic, GraphsThatAreTheSameAreFoundAndProven) {
  // A path with one chord: only the edges tell the nodes apart.
  Graph graph;
  for (int v = 0; v < 7; ++v) graph.nodes.add(std::to_string(v));
  graph.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {1, 3}};
  const PairShape shape(graph, graph, false, false);
  const PairScores scores{std::vector<double>(49, 0.0), std::vector<double>(49, 1.0)};
  const BoundedMatch found = best_match(shape, scores, 200);
  EXPECT_DOUBLE_EQ(found.value, 7);
  EXPECT_NEAR(found.bound, 7, 0.2);
}

}  // namespace
}  // namespace dorm

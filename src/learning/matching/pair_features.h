// SPDX-License-Identifier: Apache-2.0
// What the weights of a match model are weights of, for one pair of graphs.
#pragma once

#include "dorm/matching/match.h"
#include "learning/matching/relaxation.h"

namespace dorm {

/// Where the weights of nodes, of being matched and of edges stand.
struct MatchLayout {
  explicit MatchLayout(const MatchModel& model)
      : nodes(model.node_features.size()),
        edge_features(model.edge_features.size()),
        partial(model.unmatched),
        quadratic(model.kind == MatchKind::quadratic) {}

  std::size_t nodes, edge_features;
  bool partial, quadratic;

  std::size_t edges() const { return nodes + (partial ? 1 : 0); }  // the first of them: being an edge at all
  std::size_t dimension() const { return edges() + (quadratic ? 1 + edge_features : 0); }
};

class PairFeatures {
 public:
  /// Of the graphs a and b, whose features are those of the model.
  PairFeatures(const MatchModel& model, const Graph& a, const Graph& b);

  const PairShape& shape() const { return shape_; }
  PairScores scores(std::span<const double> weights) const;
  /// Of a matching: <weights, result> is its score.
  std::vector<double> of(const Match& match) const;
  /// Of a vertex of the relaxation, without what multipliers moved.
  std::vector<double> of(const RelaxedMatch& relaxed) const;

 private:
  std::span<const float> node_cell(std::size_t i, std::size_t j) const {
    return std::span(node_).subspan((i * shape_.columns + j) * layout_.nodes, layout_.nodes);
  }
  std::span<const float> edge_cell(std::size_t e, std::size_t f) const {
    return std::span(edge_).subspan((e * shape_.column_edges.size() + f) * layout_.edge_features,
                                    layout_.edge_features);
  }
  void add_nodes(const Match& match, std::vector<double>& out) const;
  void add_edge(double scale, std::size_t e, std::size_t f, std::vector<double>& out) const;

  MatchLayout layout_;
  PairShape shape_;
  std::vector<float> node_;  // rows x columns x nodes
  std::vector<float> edge_;  // row_edges x column_edges x edge_features
};

/// One over the standard deviation of each feature over the graphs of the pairs, 1 for one that does not vary.
std::vector<double> deviation_factors(const GraphSet& set, std::span<const GraphPair> pairs, bool edges);

/// Throws Error(bad_input) unless the set has the features of the model, and edges of its kind.
void require_same_features(const MatchModel& model, const GraphSet& set);

}  // namespace dorm

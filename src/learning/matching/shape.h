// SPDX-License-Identifier: Apache-2.0
// Two graphs without their features: what a quadratic assignment between their nodes looks like.
//
//   maximise  sum_i node[i, y_i]  +  sum over edges (i, k) of the first graph of edge[(i, k), (y_i, y_k)]
//
// over matchings y in which every node of the smaller graph has a partner, or (partial) in which any may have none. An
// edge whose image is no edge adds nothing. Numbers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dorm/matching/graphs.h"

namespace dorm {

using Match = std::vector<std::uint32_t>;  // by node of the first graph: node of the second, or kUnmatched

/// An edge seen from one of its ends.
struct Incidence {
  std::uint32_t edge = 0, other = 0;
  std::uint32_t end = 0;  // 0: the node is `from` of the edge, 1: `to`
};

/// The edges at every node of one graph.
class Incidences {
 public:
  Incidences(std::size_t nodes, std::span<const GraphEdge> edges);
  std::span<const Incidence> at(std::size_t node) const {
    return std::span(list_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Incidence> list_;
};

struct PairShape {
  PairShape(const Graph& first, const Graph& second, bool directed_edges, bool may_be_partial);

  std::size_t rows, columns;  // nodes
  std::vector<GraphEdge> row_edges, column_edges;
  bool directed, partial;
  Incidences at_row, at_column;

  std::size_t edge_cells() const { return row_edges.size() * column_edges.size(); }
  /// The edge of the second graph from `from` to `to`, in an undirected one also from `to` to `from`; kUnmatched: none.
  std::uint32_t column_edge(std::uint32_t from, std::uint32_t to) const { return table_[from * columns + to]; }

 private:
  std::vector<std::uint32_t> table_;
};

struct PairScores {
  std::vector<double> node;  // rows x columns
  std::vector<double> edge;  // row_edges x column_edges
};

double match_value(const PairShape& shape, const PairScores& scores, const Match& match);

/// The best matching by node scores alone; exact. `node` is rows x columns.
struct NodeMatch {
  Match match;
  double value = 0;
};
NodeMatch best_by_nodes(const PairShape& shape, std::span<const double> node);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "learning/matching/shape.h"

#include <algorithm>

#include "dorm/learning/assignment.h"

namespace dorm {

static_assert(kUnmatched == kUnassigned);

Incidences::Incidences(std::size_t nodes, std::span<const GraphEdge> edges)
    : first_(nodes + 1, 0), list_(2 * edges.size()) {
  for (const GraphEdge& edge : edges) {
    ++first_[edge.from + 1];
    ++first_[edge.to + 1];
  }
  for (std::size_t v = 0; v < nodes; ++v) first_[v + 1] += first_[v];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    list_[next[edges[e].from]++] = {e, edges[e].to, 0};
    list_[next[edges[e].to]++] = {e, edges[e].from, 1};
  }
}

PairShape::PairShape(const Graph& first, const Graph& second, bool directed_edges, bool may_be_partial)
    : rows(first.size()),
      columns(second.size()),
      row_edges(first.edges),
      column_edges(second.edges),
      directed(directed_edges),
      partial(may_be_partial),
      at_row(rows, row_edges),
      at_column(columns, column_edges),
      table_(columns * columns, kUnmatched) {
  for (std::uint32_t e = 0; e < column_edges.size(); ++e) {
    const GraphEdge& edge = column_edges[e];
    table_[edge.from * columns + edge.to] = e;
    if (!directed) table_[edge.to * columns + edge.from] = e;
  }
}

double match_value(const PairShape& shape, const PairScores& scores, const Match& match) {
  double value = 0;
  for (std::size_t i = 0; i < shape.rows; ++i)
    if (match[i] != kUnmatched) value += scores.node[i * shape.columns + match[i]];
  for (std::size_t e = 0; e < shape.row_edges.size(); ++e) {
    const std::uint32_t from = match[shape.row_edges[e].from], to = match[shape.row_edges[e].to];
    if (from == kUnmatched || to == kUnmatched) continue;
    const std::uint32_t image = shape.column_edge(from, to);
    if (image != kUnmatched) value += scores.edge[e * shape.column_edges.size() + image];
  }
  return value;
}

NodeMatch best_by_nodes(const PairShape& shape, std::span<const double> node) {
  std::vector<double> matrix(node.begin(), node.end());
  if (shape.partial)  // what costs is left out: a matching of the positive parts, less the cells of 0
    for (double& cell : matrix) cell = std::max(cell, 0.0);
  NodeMatch best;
  best.match = assign(matrix, shape.rows, shape.columns, Sense::maximize).column_of_row;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    if (best.match[i] == kUnmatched) continue;
    const double cell = node[i * shape.columns + best.match[i]];
    if (shape.partial && cell <= 0)
      best.match[i] = kUnmatched;
    else
      best.value += cell;
  }
  return best;
}

}  // namespace dorm

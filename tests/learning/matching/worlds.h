// SPDX-License-Identifier: Apache-2.0
// Small graphs, and all matchings between them.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "learning/matching/shape.h"

namespace dorm::test {

inline Graph random_graph(std::size_t nodes, double density, Rng& rng, std::size_t node_width = 0,
                          std::size_t edge_width = 0, bool directed = false) {
  Graph graph;
  for (std::size_t v = 0; v < nodes; ++v) graph.nodes.add("n" + std::to_string(v));
  for (std::size_t k = 0; k < nodes * node_width; ++k) graph.node_values.push_back(rng.normal());
  for (std::uint32_t v = 0; v < nodes; ++v)
    for (std::uint32_t u = directed ? 0 : v + 1; u < nodes; ++u)
      if (u != v && rng.uniform() < density) graph.edges.push_back({v, u});
  for (std::size_t k = 0; k < graph.edges.size() * edge_width; ++k) graph.edge_values.push_back(rng.normal());
  return graph;
}

/// Every matching that the shape allows.
inline void for_each_match(const PairShape& shape, const std::function<void(const Match&)>& visit) {
  Match match(shape.rows, kUnmatched);
  std::vector<bool> taken(shape.columns, false);
  const std::size_t most_alone = shape.rows > shape.columns ? shape.rows - shape.columns : 0;
  const std::function<void(std::size_t, std::size_t)> extend = [&](std::size_t row, std::size_t alone) {
    if (row == shape.rows) return visit(match);
    for (std::uint32_t column = 0; column < shape.columns; ++column) {
      if (taken[column]) continue;
      taken[column] = true;
      match[row] = column;
      extend(row + 1, alone);
      taken[column] = false;
    }
    match[row] = kUnmatched;
    if (shape.partial || alone < most_alone) extend(row + 1, alone + 1);
  };
  extend(0, 0);
}

}  // namespace dorm::test

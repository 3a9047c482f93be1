// SPDX-License-Identifier: Apache-2.0
// Reading graphs, pairs of them and the nodes that belong together, from tables. docs/formats.md describes them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dorm/matching/graphs.h"

namespace dorm {

/// Graphs from a table of nodes (`graph,node` and features) and one of edges (`graph,from,to` and features; no name:
/// there are no edges). An undirected edge may be listed in both directions.
GraphSet read_graphs(const std::string& nodes, const std::string& edges, bool directed = false);
GraphSet parse_graphs(std::string_view nodes, const std::string& nodes_name, std::string_view edges,
                      const std::string& edges_name, bool directed = false);

/// Which columns of a table name two graphs, and which rows count.
struct GraphPairColumns {
  std::string first = {}, second = {};                          // empty: the first and the second column
  std::vector<std::pair<std::string, std::string>> where = {};  // column and value
};
/// Pairs of graphs, without the nodes that belong together.
std::vector<GraphPair> read_graph_pairs(const std::string& path, const GraphSet& set,
                                        const GraphPairColumns& columns = {});
std::vector<GraphPair> parse_graph_pairs(std::string_view text, const std::string& name, const GraphSet& set,
                                         const GraphPairColumns& columns = {});
/// Which nodes of these pairs belong together: `graph1,graph2,node1,node2`. Those that are not listed have no partner;
/// other pairs of graphs are passed over.
void read_graph_matches(const std::string& path, const GraphSet& set, std::span<GraphPair> pairs);
void parse_graph_matches(std::string_view text, const std::string& name, const GraphSet& set,
                         std::span<GraphPair> pairs);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Graphs whose nodes and edges have features, and pairs of them with a true correspondence. Plain data; the readers are
// declared in read_graphs.h, and match.h learns from it. docs/matching.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dorm/data/judgments.h"

namespace dorm {

inline constexpr std::uint32_t kUnmatched = UINT32_MAX;

struct GraphEdge {
  std::uint32_t from = 0, to = 0;
  bool operator==(const GraphEdge&) const = default;
};

struct Graph {
  IdTable nodes;                    // ids
  std::vector<double> node_values;  // nodes.size() rows
  std::vector<GraphEdge> edges;     // no loops; in an undirected graph each once, in either direction
  std::vector<double> edge_values;  // edges.size() rows

  std::size_t size() const { return nodes.size(); }
};

struct GraphSet {
  std::vector<std::string> node_features, edge_features;  // names of the columns of all graphs
  bool directed = false;
  IdTable names;
  std::vector<Graph> graphs;  // by name

  /// Throws Error(bad_input) that names the graph when arrays do not fit, a value is not finite, or an edge leads
  /// nowhere, is a loop or occurs twice.
  void validate() const;
};

/// Two graphs of a set, and which nodes belong together.
struct GraphPair {
  std::uint32_t first = 0, second = 0;
  std::vector<std::uint32_t> match = {};  // by node of the first: node of the second or kUnmatched; empty: not known
};

/// Throws Error(bad_input) that names the pair: graphs or nodes that are not there, or a node with two partners.
void validate(const GraphSet& set, std::span<const GraphPair> pairs);

/// Nodes of the same id belong together; the others have no partner.
GraphPair pair_by_id(const GraphSet& set, std::uint32_t first, std::uint32_t second);

}  // namespace dorm

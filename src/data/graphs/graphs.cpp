// SPDX-License-Identifier: Apache-2.0
#include "dorm/matching/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/quote.h"
#include "dorm/error.h"

namespace dorm {
namespace {

[[noreturn]] void refuse_graph(const GraphSet& set, std::size_t graph, const std::string& why) {
  throw Error(ErrorCode::bad_input, fmt::format("graph {}: {}", in_quotes(set.names[graph]), why));
}

void check_values(const GraphSet& set, std::size_t graph, std::span<const double> values, std::size_t rows,
                  std::size_t width, const char* what) {
  if (values.size() != rows * width)
    refuse_graph(set, graph, fmt::format("{} values of {}s; expected {} x {}", values.size(), what, rows, width));
  const auto bad = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  if (bad == values.end()) return;
  const auto at = static_cast<std::size_t>(bad - values.begin());
  refuse_graph(set, graph,
               fmt::format("feature {} of {} {} is {}; expected a finite number", at % width, what, at / width, *bad));
}

void check_edges(const GraphSet& set, std::size_t number) {
  const Graph& graph = set.graphs[number];
  std::unordered_set<std::uint64_t> seen;
  for (const GraphEdge& edge : graph.edges) {
    if (edge.from >= graph.size() || edge.to >= graph.size())
      refuse_graph(set, number,
                   fmt::format("an edge between nodes {} and {}; there are {} nodes, counted from 0", edge.from,
                               edge.to, graph.size()));
    const std::string name =
        fmt::format("between {} and {}", in_quotes(graph.nodes[edge.from]), in_quotes(graph.nodes[edge.to]));
    if (edge.from == edge.to) refuse_graph(set, number, fmt::format("an edge {}; expected different nodes", name));
    const std::uint32_t from = set.directed ? edge.from : std::min(edge.from, edge.to);
    const std::uint32_t to = set.directed ? edge.to : std::max(edge.from, edge.to);
    if (!seen.insert(std::uint64_t{from} << 32 | to).second)
      refuse_graph(set, number, fmt::format("the edge {} appears twice", name));
  }
}

}  // namespace

void GraphSet::validate() const {
  if (names.size() != graphs.size())
    throw Error(ErrorCode::bad_input, fmt::format("{} names of {} graphs", names.size(), graphs.size()));
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph& graph = graphs[g];
    if (graph.size() == 0) refuse_graph(*this, g, "no nodes");
    check_values(*this, g, graph.node_values, graph.size(), node_features.size(), "node");
    check_values(*this, g, graph.edge_values, graph.edges.size(), edge_features.size(), "edge");
    check_edges(*this, g);
  }
}

void validate(const GraphSet& set, std::span<const GraphPair> pairs) {
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const GraphPair& pair = pairs[p];
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorCode::bad_input, fmt::format("pair {}: {}", p + 1, why));
    };
    if (std::max(pair.first, pair.second) >= set.graphs.size())
      refuse(fmt::format("graphs {} and {}; there are {}", pair.first, pair.second, set.graphs.size()));
    if (pair.match.empty()) continue;
    const std::size_t first = set.graphs[pair.first].size(), second = set.graphs[pair.second].size();
    if (pair.match.size() != first)
      refuse(fmt::format("{} partners; expected {}, one per node of the first graph", pair.match.size(), first));
    std::vector<bool> taken(second, false);
    for (const std::uint32_t partner : pair.match) {
      if (partner == kUnmatched) continue;
      if (partner >= second)
        refuse(fmt::format("partner {}; the second graph has {} nodes, counted from 0", partner, second));
      if (taken[partner])
        refuse(fmt::format("node {} of the second graph has two partners",
                           in_quotes(set.graphs[pair.second].nodes[partner])));
      taken[partner] = true;
    }
  }
}

GraphPair pair_by_id(const GraphSet& set, std::uint32_t first, std::uint32_t second) {
  GraphPair pair{first, second};
  for (const std::string& id : set.graphs[first].nodes.names())
    pair.match.push_back(set.graphs[second].nodes.find(id).value_or(kUnmatched));
  return pair;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Graphs from a table of nodes and a table of edges, and pairs of graphs with the nodes that belong together.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/quote.h"
#include "base/unknown_name.h"
#include "data/io/tables/document_table.h"
#include "dorm/error.h"
#include "dorm/matching/read_graphs.h"

namespace dorm {
namespace {

constexpr std::string_view kNodesHeader = "graph,node and the features of nodes";
constexpr std::string_view kEdgesHeader = "graph,from,to and the features of edges";
constexpr std::string_view kMatchesHeader = "graph1,graph2,node1,node2";

/// The names behind the first `ids` columns.
std::vector<std::string> feature_columns(const CsvRecords& record, std::vector<std::string> header, std::size_t ids,
                                         std::string_view expected) {
  if (header.size() < ids) throw record.error(fmt::format("found {} columns; expected {}", header.size(), expected));
  header.erase(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(ids));
  for (std::size_t k = 0; k < header.size(); ++k)
    if (std::find(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(k), header[k]) !=
        header.begin() + static_cast<std::ptrdiff_t>(k))
      throw record.error(ids + k, fmt::format("the column {} appears twice", in_quotes(header[k])));
  return header;
}

void take_features(const CsvRecords& record, std::size_t ids, std::vector<double>& values) {
  for (std::size_t cell = ids; cell < record.size(); ++cell)
    values.push_back(finite_cell(record, cell, "a finite number"));
}

std::uint32_t graph_in(const CsvRecords& record, std::size_t cell, const GraphSet& set) {
  const std::optional<std::uint32_t> found = set.names.find(record[cell]);
  if (!found)
    throw record.error(cell, fmt::format("there is no graph {} in the table of nodes", in_quotes(record[cell])));
  return *found;
}

std::uint32_t node_in(const CsvRecords& record, std::size_t cell, const GraphSet& set, std::uint32_t graph) {
  const std::optional<std::uint32_t> found = set.graphs[graph].nodes.find(record[cell]);
  if (!found)
    throw record.error(cell,
                       fmt::format("graph {} has no node {}", in_quotes(set.names[graph]), in_quotes(record[cell])));
  return *found;
}

void read_nodes(TextSource& source, const std::string& name, GraphSet& set) {
  LineReader lines(source, name);
  CsvRecords record(lines, CsvRecords::kBySight);
  set.node_features = feature_columns(record, read_header(record, name, kNodesHeader), 2, kNodesHeader);
  while (record.next()) {
    require_cells(record, 2 + set.node_features.size());
    const std::uint32_t number = set.names.add(record[0]);
    if (number == set.graphs.size()) set.graphs.emplace_back();
    Graph& graph = set.graphs[number];
    if (graph.nodes.find(record[1]))
      throw record.error(1, fmt::format("graph {} has a node {} already", in_quotes(record[0]), in_quotes(record[1])));
    graph.nodes.add(record[1]);
    take_features(record, 2, graph.node_values);
  }
  if (set.graphs.empty()) throw Error(ErrorCode::bad_input, {name, 0, 0}, "no nodes");
}

void read_edges(TextSource& source, const std::string& name, GraphSet& set) {
  LineReader lines(source, name);
  CsvRecords record(lines, CsvRecords::kBySight);
  set.edge_features = feature_columns(record, read_header(record, name, kEdgesHeader), 3, kEdgesHeader);
  const std::size_t width = set.edge_features.size();
  std::map<std::array<std::uint32_t, 3>, std::size_t> known;
  while (record.next()) {
    require_cells(record, 3 + width);
    const std::uint32_t number = graph_in(record, 0, set);
    std::uint32_t from = node_in(record, 1, set, number), to = node_in(record, 2, set, number);
    if (from == to)
      throw record.error(2, fmt::format("an edge from {} to itself; expected another node", in_quotes(record[2])));
    std::vector<double> values;
    take_features(record, 3, values);
    Graph& graph = set.graphs[number];
    const bool turned = !set.directed && from > to;
    const auto [place, added] = known.try_emplace({number, turned ? to : from, turned ? from : to}, graph.edges.size());
    if (added) {
      graph.edges.push_back({from, to});
      graph.edge_values.insert(graph.edge_values.end(), values.begin(), values.end());
      continue;
    }
    // An undirected edge may be listed in both directions.
    const GraphEdge& other = graph.edges[place->second];
    const std::span<const double> others = std::span(graph.edge_values).subspan(place->second * width, width);
    if (set.directed || other.from == from || !std::equal(values.begin(), values.end(), others.begin()))
      throw record.error(1, fmt::format("the edge between {} and {} of graph {} appears twice{}", in_quotes(record[1]),
                                        in_quotes(record[2]), in_quotes(record[0]),
                                        set.directed || other.from == from ? "" : ", with other features"));
  }
}

GraphSet graphs_from(TextSource& nodes, const std::string& nodes_name, TextSource* edges, const std::string& edges_name,
                     bool directed) {
  GraphSet set;
  set.directed = directed;
  read_nodes(nodes, nodes_name, set);
  if (edges != nullptr) read_edges(*edges, edges_name, set);
  return set;
}

std::size_t column_called(const CsvRecords& record, const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  const std::string near = nearest_name(name, header);
  throw record.error(fmt::format("no column {}{}; there are {}", in_quotes(name),
                                 near.empty() ? "" : fmt::format("; did you mean {}?", in_quotes(near)),
                                 fmt::join(header, ", ")));
}

std::vector<GraphPair> pairs_from(TextSource& source, const std::string& name, const GraphSet& set,
                                  const GraphPairColumns& columns) {
  LineReader lines(source, name);
  CsvRecords record(lines, CsvRecords::kBySight);
  const std::vector<std::string> header = read_header(record, name, "the columns of two graphs");
  if (header.size() < 2) throw record.error("found one column; expected those of two graphs");
  const std::size_t first = columns.first.empty() ? 0 : column_called(record, header, columns.first);
  const std::size_t second = columns.second.empty() ? 1 : column_called(record, header, columns.second);
  std::vector<std::size_t> asked;
  for (const auto& [column, value] : columns.where) asked.push_back(column_called(record, header, column));
  std::vector<GraphPair> pairs;
  while (record.next()) {
    require_cells(record, header.size());
    bool wanted = true;
    for (std::size_t k = 0; k < asked.size(); ++k) wanted = wanted && record[asked[k]] == columns.where[k].second;
    if (wanted) pairs.push_back({graph_in(record, first, set), graph_in(record, second, set)});
  }
  if (pairs.empty())
    throw Error(ErrorCode::bad_input, {name, 0, 0}, asked.empty() ? "no pairs" : "no pairs with the values asked for");
  return pairs;
}

void matches_from(TextSource& source, const std::string& name, const GraphSet& set, std::span<GraphPair> pairs) {
  LineReader lines(source, name);
  CsvRecords record(lines, CsvRecords::kBySight);
  if (const std::vector<std::string> header = read_header(record, name, kMatchesHeader); header.size() != 4)
    throw record.error(fmt::format("found {} columns; expected {}", header.size(), kMatchesHeader));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> places;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    places[{pairs[p].first, pairs[p].second}].push_back(p);
    pairs[p].match.assign(set.graphs[pairs[p].first].size(), kUnmatched);
  }
  while (record.next()) {
    require_cells(record, 4);
    const std::uint32_t first = graph_in(record, 0, set), second = graph_in(record, 1, set);
    const std::uint32_t node = node_in(record, 2, set, first), partner = node_in(record, 3, set, second);
    const auto found = places.find({first, second});
    if (found == places.end()) continue;  // of another part
    for (const std::size_t p : found->second) {
      if (pairs[p].match[node] != kUnmatched)
        throw record.error(2, fmt::format("node {} has a partner already", in_quotes(record[2])));
      if (std::find(pairs[p].match.begin(), pairs[p].match.end(), partner) != pairs[p].match.end())
        throw record.error(3, fmt::format("node {} has a partner already", in_quotes(record[3])));
      pairs[p].match[node] = partner;
    }
  }
}

}  // namespace

GraphSet read_graphs(const std::string& nodes, const std::string& edges, bool directed) {
  const auto source = edges.empty() ? nullptr : open_text(edges);
  return graphs_from(*open_text(nodes), nodes, source.get(), edges, directed);
}
GraphSet parse_graphs(std::string_view nodes, const std::string& nodes_name, std::string_view edges,
                      const std::string& edges_name, bool directed) {
  const auto source = edges.empty() ? nullptr : text_in_memory(edges);
  return graphs_from(*text_in_memory(nodes), nodes_name, source.get(), edges_name, directed);
}

std::vector<GraphPair> read_graph_pairs(const std::string& path, const GraphSet& set, const GraphPairColumns& columns) {
  return pairs_from(*open_text(path), path, set, columns);
}
std::vector<GraphPair> parse_graph_pairs(std::string_view text, const std::string& name, const GraphSet& set,
                                         const GraphPairColumns& columns) {
  return pairs_from(*text_in_memory(text), name, set, columns);
}

void read_graph_matches(const std::string& path, const GraphSet& set, std::span<GraphPair> pairs) {
  matches_from(*open_text(path), path, set, pairs);
}
void parse_graph_matches(std::string_view text, const std::string& name, const GraphSet& set,
                         std::span<GraphPair> pairs) {
  matches_from(*text_in_memory(text), name, set, pairs);
}

}  // namespace dorm

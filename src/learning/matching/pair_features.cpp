// SPDX-License-Identifier: Apache-2.0
#include "learning/matching/pair_features.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/vector/vector_ops.h"
#include "dorm/error.h"

namespace dorm {
namespace {

float similarity_of(Similarity kind, double difference) {
  const double square = difference * difference;
  return static_cast<float>(kind == Similarity::gaussian ? std::exp(-square) : -square);
}

/// Every row of x against every row of y, feature by feature.
std::vector<float> similarities(std::span<const double> x, std::span<const double> y, std::span<const double> factors,
                                Similarity kind) {
  const std::size_t width = factors.size();
  std::vector<float> out;
  if (width == 0) return out;
  out.reserve(x.size() * (y.size() / width));
  for (std::size_t i = 0; i < x.size(); i += width)
    for (std::size_t j = 0; j < y.size(); j += width)
      for (std::size_t k = 0; k < width; ++k) out.push_back(similarity_of(kind, (x[i + k] - y[j + k]) * factors[k]));
  return out;
}

/// The graph without its edges, for models that do not look at them.
Graph seen_by(const MatchLayout& layout, const Graph& graph) {
  Graph out = graph;
  if (!layout.quadratic) out.edges.clear();
  return out;
}

std::string names_text(std::span<const std::string> names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

PairFeatures::PairFeatures(const MatchModel& model, const Graph& a, const Graph& b)
    : layout_(model),
      shape_(seen_by(layout_, a), seen_by(layout_, b), model.directed, model.unmatched),
      node_(similarities(a.node_values, b.node_values, model.node_factors, model.similarity)) {
  if (layout_.quadratic) edge_ = similarities(a.edge_values, b.edge_values, model.edge_factors, model.similarity);
}

PairScores PairFeatures::scores(std::span<const double> weights) const {
  PairScores out{std::vector<double>(shape_.rows * shape_.columns, layout_.partial ? weights[layout_.nodes] : 0.0), {}};
  const std::span<const double> of_nodes = weights.first(layout_.nodes);
  for (std::size_t i = 0, at = 0; i < shape_.rows; ++i)
    for (std::size_t j = 0; j < shape_.columns; ++j, ++at) out.node[at] += dot(node_cell(i, j), of_nodes);
  if (!layout_.quadratic) return out;
  out.edge.assign(shape_.edge_cells(), weights[layout_.edges()]);
  if (layout_.edge_features == 0) return out;
  const std::span<const double> of_edges = weights.subspan(layout_.edges() + 1);
  for (std::size_t e = 0, at = 0; e < shape_.row_edges.size(); ++e)
    for (std::size_t f = 0; f < shape_.column_edges.size(); ++f, ++at) out.edge[at] += dot(edge_cell(e, f), of_edges);
  return out;
}

void PairFeatures::add_nodes(const Match& match, std::vector<double>& out) const {
  for (std::size_t i = 0; i < shape_.rows; ++i) {
    if (match[i] == kUnmatched) continue;
    axpy(1, node_cell(i, match[i]), std::span(out).first(layout_.nodes));
    if (layout_.partial) out[layout_.nodes] += 1;
  }
}

void PairFeatures::add_edge(double scale, std::size_t e, std::size_t f, std::vector<double>& out) const {
  out[layout_.edges()] += scale;
  if (layout_.edge_features > 0) axpy(scale, edge_cell(e, f), std::span(out).subspan(layout_.edges() + 1));
}

std::vector<double> PairFeatures::of(const Match& match) const {
  std::vector<double> out(layout_.dimension(), 0);
  add_nodes(match, out);
  for (std::size_t e = 0; e < shape_.row_edges.size(); ++e) {
    const std::uint32_t from = match[shape_.row_edges[e].from], to = match[shape_.row_edges[e].to];
    if (from == kUnmatched || to == kUnmatched) continue;
    const std::uint32_t image = shape_.column_edge(from, to);
    if (image != kUnmatched) add_edge(1, e, image, out);
  }
  return out;
}

std::vector<double> PairFeatures::of(const RelaxedMatch& relaxed) const {
  std::vector<double> out(layout_.dimension(), 0);
  add_nodes(relaxed.match, out);
  for (const EndPair& ends : relaxed.ends) add_edge(0.5, ends.row_edge, ends.column_edge, out);
  return out;
}

std::vector<double> deviation_factors(const GraphSet& set, std::span<const GraphPair> pairs, bool edges) {
  std::set<std::uint32_t> graphs;
  for (const GraphPair& pair : pairs) graphs.insert({pair.first, pair.second});
  const std::size_t width = edges ? set.edge_features.size() : set.node_features.size();
  std::vector<double> sum(width, 0), square(width, 0), factors(width, 1);
  double rows = 0;
  for (const bool second_pass : {false, true})  // about the mean, so that little is lost to rounding
    for (const std::uint32_t g : graphs) {
      const std::vector<double>& values = edges ? set.graphs[g].edge_values : set.graphs[g].node_values;
      const std::size_t own = width > 0 ? values.size() / width : 0;
      if (!second_pass) rows += static_cast<double>(own);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const double centred = values[k] - (second_pass ? sum[k % width] / rows : 0);
        (second_pass ? square : sum)[k % width] += second_pass ? centred * centred : centred;
      }
    }
  for (std::size_t k = 0; k < width; ++k)
    if (const double deviation = std::sqrt(square[k] / rows); deviation > 1e-12 * std::abs(sum[k] / rows))
      factors[k] = 1 / deviation;
  return factors;
}

void require_same_features(const MatchModel& model, const GraphSet& set) {
  const auto require_names = [](const auto& expected, const auto& found, const char* what) {
    if (expected == found) return;
    throw Error(ErrorCode::bad_input, fmt::format("features of {}s: {}; the model expects: {}", what, names_text(found),
                                                  names_text(expected)));
  };
  require_names(model.node_features, set.node_features, "node");
  if (model.kind == MatchKind::linear) return;
  require_names(model.edge_features, set.edge_features, "edge");
  if (model.directed != set.directed)
    throw Error(ErrorCode::bad_input,
                fmt::format("the edges are {}directed; the model expects the contrary", set.directed ? "" : "un"));
}

}  // namespace dorm

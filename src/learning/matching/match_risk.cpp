// SPDX-License-Identifier: Apache-2.0
#include "learning/matching/match_risk.h"

#include <algorithm>

#include "learning/matching/local_search.h"

namespace dorm {

MatchRisk::MatchRisk(const MatchModel& model, const GraphSet& set, std::span<const GraphPair> pairs)
    : geometry_(model.dimension()), partial_(model.unmatched) {
  for (const GraphPair& pair : pairs) {
    const Graph &first = set.graphs[pair.first], &second = set.graphs[pair.second];
    PairFeatures features(model, first, second);
    std::vector<double> of_truth = features.of(pair.match);
    const auto partners = static_cast<double>(pair.match.size()) -
                          static_cast<double>(std::count(pair.match.begin(), pair.match.end(), kUnmatched));
    const double nodes = partial_ ? static_cast<double>(first.size()) : partners;
    blocks_.push_back({std::move(features), pair.match, std::move(of_truth), nodes, partners, {}});
  }
}

double MatchRisk::cell_loss(const Block& block, std::size_t i, std::size_t j) const {
  if (block.truth[i] == j) return -1;
  return partial_ && block.truth[i] == kUnmatched ? 1 : 0;
}

PairScores MatchRisk::loss_augmented(const Block& block, std::span<const double> w) const {
  PairScores scores = block.features.scores(w);
  const PairShape& shape = block.features.shape();
  for (std::size_t i = 0, at = 0; i < shape.rows; ++i)
    for (std::size_t j = 0; j < shape.columns; ++j, ++at) scores.node[at] += cell_loss(block, i, j);
  return scores;
}

double MatchRisk::linearize(std::size_t number, std::span<const double> w, Plane& out, RiskWorkspace&) const {
  const Block& block = blocks_[number];
  const RelaxedMatch worst = best_relaxed(block.features.shape(), loss_augmented(block, w), block.multipliers);
  double loss = block.base + worst.moved;
  for (std::size_t i = 0; i < worst.match.size(); ++i)
    if (worst.match[i] != kUnmatched) loss += cell_loss(block, i, worst.match[i]);
  const std::vector<double> of_worst = block.features.of(worst);
  out.offset = loss / block.nodes;
  out.columns.clear();
  out.direction.resize(of_worst.size());
  for (std::size_t k = 0; k < of_worst.size(); ++k)
    out.direction[k] = static_cast<float>((block.of_truth[k] - of_worst[k]) / block.nodes);
  return out.offset - geometry_.dot(w, out);
}

double MatchRisk::linearize_cost(std::size_t number) const {
  const PairShape& shape = blocks_[number].features.shape();
  const auto cells = static_cast<double>(shape.rows * shape.columns);
  return cells * static_cast<double>(geometry_.dimension()) + 20 * static_cast<double>(shape.edge_cells()) +
         cells * static_cast<double>(std::min(shape.rows, shape.columns));
}

MatchRisk::Separation MatchRisk::tighten(std::size_t number, std::span<const double> w, std::size_t steps) {
  Block& block = blocks_[number];
  const PairShape& shape = block.features.shape();
  const PairScores scores = loss_augmented(block, w);
  const double before = best_relaxed(shape, scores, block.multipliers).value;
  BoundedMatch known = best_match(shape, scores, 0);
  known.bound = before;
  known.multipliers = block.multipliers;
  dorm::tighten(shape, scores, steps, known);
  block.multipliers = std::move(known.multipliers);
  return {before / block.nodes, known.bound / block.nodes, known.value / block.nodes};
}

std::vector<Multipliers> MatchRisk::multipliers() const {
  std::vector<Multipliers> out;
  for (const Block& block : blocks_) out.push_back(block.multipliers);
  return out;
}

void MatchRisk::set_multipliers(std::vector<Multipliers> multipliers) {
  multipliers.resize(blocks_.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) blocks_[k].multipliers = std::move(multipliers[k]);
}

double MatchRisk::objective(std::span<const double> w) const {
  const auto workspace = make_workspace();
  Plane plane;
  double sum = 0.5 * geometry_.inner(w, w);
  for (std::size_t k = 0; k < blocks_.size(); ++k) sum += block_weight(k) * linearize(k, w, plane, *workspace);
  return sum;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "learning/matching/relaxation.h"

#include <algorithm>

#include "dorm/learning/assignment.h"

namespace dorm {
namespace {

/// The small assignments: edges at a row against edges at a column.
class EdgeAssignments {
 public:
  EdgeAssignments(const PairShape& shape, const PairScores& scores, const Multipliers& multipliers)
      : shape_(shape), scores_(scores), multipliers_(multipliers) {}

  double value(std::size_t row, std::size_t column) {
    const auto mine = shape_.at_row.at(row), yours = shape_.at_column.at(column);
    if (mine.empty() || yours.empty()) return 0;
    fill(mine, yours);
    const auto [least, most] = std::minmax_element(cells_.begin(), cells_.end());
    if (*least == *most) return *most * static_cast<double>(std::min(mine.size(), yours.size()));
    if (mine.size() == 1 || yours.size() == 1) return *most;
    return assign(cells_, mine.size(), yours.size(), Sense::maximize).value;
  }

  /// Adds the ends that attain value().
  void collect(std::size_t row, std::size_t column, RelaxedMatch& out) {
    const auto mine = shape_.at_row.at(row), yours = shape_.at_column.at(column);
    if (mine.empty() || yours.empty()) return;
    fill(mine, yours);
    const Assignment best = assign(cells_, mine.size(), yours.size(), Sense::maximize);
    for (std::size_t a = 0; a < mine.size(); ++a) {
      const std::uint32_t b = best.column_of_row[a];
      if (b == kUnassigned || cells_[a * yours.size() + b] <= 0) continue;
      out.ends.push_back({mine[a].edge, yours[b].edge, mine[a].end, yours[b].end});
      out.moved += moved(mine[a], yours[b]);
    }
  }

 private:
  double moved(const Incidence& mine, const Incidence& yours) const {
    if (multipliers_.empty()) return 0;
    const std::size_t at = mine.edge * shape_.column_edges.size() + yours.edge;
    const double amount = mine.end == yours.end ? multipliers_.straight[at] : multipliers_.crosswise[at];
    return mine.end == 0 ? amount : -amount;
  }

  // An edge need not be sent anywhere: cells are not negative.
  void fill(std::span<const Incidence> mine, std::span<const Incidence> yours) {
    cells_.resize(mine.size() * yours.size());
    for (std::size_t a = 0, at = 0; a < mine.size(); ++a)
      for (std::size_t b = 0; b < yours.size(); ++b, ++at) {
        const bool apart = shape_.directed && mine[a].end != yours[b].end;
        const double score = scores_.edge[mine[a].edge * shape_.column_edges.size() + yours[b].edge];
        cells_[at] = apart ? 0 : std::max(0.0, 0.5 * score + moved(mine[a], yours[b]));
      }
  }

  const PairShape& shape_;
  const PairScores& scores_;
  const Multipliers& multipliers_;
  std::vector<double> cells_;
};

}  // namespace

RelaxedMatch best_relaxed(const PairShape& shape, const PairScores& scores, const Multipliers& multipliers) {
  std::vector<double> node = scores.node;
  EdgeAssignments edges(shape, scores, multipliers);
  if (shape.edge_cells() > 0)
    for (std::size_t i = 0; i < shape.rows; ++i)
      for (std::size_t j = 0; j < shape.columns; ++j) node[i * shape.columns + j] += edges.value(i, j);
  NodeMatch best = best_by_nodes(shape, node);
  RelaxedMatch out{best.value, std::move(best.match), {}, 0};
  if (shape.edge_cells() > 0)
    for (std::size_t i = 0; i < shape.rows; ++i)
      if (out.match[i] != kUnmatched) edges.collect(i, out.match[i], out);
  return out;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "evaluation/clicks/estimators.h"

namespace dorm {
namespace {

/// A_ab for all pairs of positions: click rates at a of documents that were seen at a and b.
class RateSums {
 public:
  explicit RateSums(std::size_t positions) : size_(positions), sums_(positions * positions, 0.0) {}

  void add(std::span<const ShownCell> cells) {
    for (const ShownCell& a : cells)
      for (const ShownCell& b : cells)
        if (a.place != b.place) sums_[a.place * size_ + b.place] += a.clicks / a.impressions;
  }
  double operator()(std::size_t a, std::size_t b) const { return sums_[a * size_ + b]; }
  void clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }

 private:
  std::size_t size_;
  std::vector<double> sums_;
};

bool is_compared(HarvestPairs pairs, std::size_t a, std::size_t b, std::size_t pivot) {
  switch (pairs) {
    case HarvestPairs::all:
      return true;
    case HarvestPairs::pivot:
      return a == pivot || b == pivot;
    case HarvestPairs::adjacent:
      return b == a + 1;
  }
  return false;
}

std::size_t place_of_pivot(const Shown& shown, std::uint32_t pivot) {
  const auto found = std::lower_bound(shown.positions.begin(), shown.positions.end(), pivot);
  if (found == shown.positions.end() || *found != pivot)
    throw Error(ErrorCode::bad_input, fmt::format("nothing was shown at position {}, the pivot", pivot));
  return static_cast<std::size_t>(found - shown.positions.begin());
}

// A document adds its rate at a to A_ab, and so rate / A_ab to the logarithm.
std::vector<LogRatio> compared_pairs(const Shown& shown, const RateSums& sums, HarvestPairs pairs, std::size_t pivot) {
  std::vector<LogRatio> compared;
  for (std::size_t a = 0; a < shown.positions.size(); ++a)
    for (std::size_t b = a + 1; b < shown.positions.size(); ++b) {
      if (!is_compared(pairs, a, b, pivot) || !(sums(a, b) > 0 && sums(b, a) > 0)) continue;
      compared.push_back({a, b, std::log(sums(a, b)) - std::log(sums(b, a)), 1 / (1 / sums(a, b) + 1 / sums(b, a))});
    }
  return compared;
}

}  // namespace

PositionLogs harvest(const Shown& shown, HarvestPairs pairs, std::uint32_t pivot, PropensityEvidence& evidence) {
  const std::size_t place = pairs == HarvestPairs::pivot ? place_of_pivot(shown, pivot) : 0;
  RateSums sums(shown.positions.size()), own(shown.positions.size());
  for (std::size_t i = 0; i < shown.num_documents(); ++i) {
    sums.add(shown.document(i).cells);
    if (shown.document(i).cells.size() > 1) ++evidence.documents;
  }
  LogRatioGraph graph(compared_pairs(shown, sums, pairs, place), shown.positions, evidence.context);
  evidence.pairs = graph.pairs().size();
  std::vector<double> added(evidence.pairs);
  shown.for_each_query([&](std::size_t first, std::size_t end) {
    own.clear();
    bool contributes = false;
    for (std::size_t i = first; i < end; ++i) {
      if (shown.document(i).cells.size() < 2) continue;
      own.add(shown.document(i).cells);
      contributes = true;
    }
    if (!contributes) return;
    for (std::size_t e = 0; e < added.size(); ++e) {
      const auto [a, b, value, weight] = graph.pairs()[e];
      added[e] = own(a, b) / sums(a, b) - own(b, a) / sums(b, a);
    }
    graph.add_query(added);
    ++evidence.queries;
  });
  return graph.solve();
}

}  // namespace dorm

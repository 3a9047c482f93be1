// SPDX-License-Identifier: Apache-2.0
// Log propensities from differences between pairs of positions: weighted least squares on a graph, with standard
// errors over queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dorm {

/// Log propensities, that of the first position being 0, and their standard errors.
struct PositionLogs {
  std::vector<double> x, error;
};

/// x_a - x_b = value, as certain as `weight` says; indices of positions.
struct LogRatio {
  std::size_t a = 0, b = 0;
  double value = 0, weight = 0;
};

/// Minimises sum weight (x_a - x_b - value)^2 with x_0 = 0: one system with the Laplacian L of the graph. Queries are
/// what was drawn: with g_q the sum over pairs of weight (e_a - e_b) times what query q adds to `value`, the covariance
/// of x is L^-1 (sum g_q g_q') L^-1, to which that of a bootstrap over queries tends.
class LogRatioGraph {
 public:
  /// Pairs of weight 0 say nothing. `names` are those of the positions, for messages; throws Error(bad_input) with the
  /// positions that no chain of pairs connects with the first.
  LogRatioGraph(std::vector<LogRatio> pairs, std::span<const std::uint32_t> names, const std::string& context);

  const std::vector<LogRatio>& pairs() const { return pairs_; }

  /// `added`: what a query adds to the value of each pair, to first order; sums over all queries are 0.
  void add_query(std::span<const double> added);

  PositionLogs solve() const;

 private:
  std::vector<LogRatio> pairs_;
  std::size_t size_;
  std::vector<double> laplacian_;  // without the first position
  std::vector<double> middle_;     // sum of g g', likewise
  std::vector<double> g_;
  std::size_t queries_ = 0;
};

}  // namespace dorm

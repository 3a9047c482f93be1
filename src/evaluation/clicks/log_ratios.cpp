// SPDX-License-Identifier: Apache-2.0
#include "evaluation/clicks/log_ratios.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/quote.h"
#include "base/vector/linear_algebra.h"
#include "dorm/error.h"

namespace dorm {
namespace {

std::size_t root_of(std::vector<std::size_t>& parent, std::size_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

void require_connected(const std::vector<LogRatio>& pairs, std::span<const std::uint32_t> names,
                       const std::string& context) {
  std::vector<std::size_t> parent(names.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  for (const LogRatio& pair : pairs) parent[root_of(parent, pair.a)] = root_of(parent, pair.b);
  std::vector<std::uint32_t> apart;
  for (std::size_t i = 1; i < names.size(); ++i)
    if (root_of(parent, i) != root_of(parent, 0)) apart.push_back(names[i]);
  if (apart.empty()) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}position{} {} {} not connected with position {}: no chain of documents that were seen, "
                          "and clicked, at two positions leads there; expected a log of rankers that differ more, or "
                          "fewer positions",
                          context.empty() ? std::string() : fmt::format("context {}: ", in_quotes(context)),
                          apart.size() == 1 ? "" : "s", fmt::join(apart, ", "), apart.size() == 1 ? "is" : "are",
                          names.front()));
}

/// The inverse of a positive definite matrix, row by row.
std::vector<double> inverse_of(std::span<const double> matrix, std::size_t n) {
  const SymmetricEigen eigen = symmetric_eigen(matrix, n);
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::span<const double> v = eigen.vector(k);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) inverse[i * n + j] += v[i] * v[j] / eigen.values[k];
  }
  return inverse;
}

}  // namespace

LogRatioGraph::LogRatioGraph(std::vector<LogRatio> pairs, std::span<const std::uint32_t> names,
                             const std::string& context)
    : pairs_(std::move(pairs)),
      size_(names.size() - 1),
      laplacian_(size_ * size_, 0.0),
      middle_(size_ * size_, 0.0),
      g_(names.size(), 0.0) {
  std::erase_if(pairs_, [](const LogRatio& pair) { return !(pair.weight > 0); });
  require_connected(pairs_, names, context);
  const auto at = [this](std::size_t i, std::size_t j) -> double& { return laplacian_[(i - 1) * size_ + j - 1]; };
  for (const LogRatio& pair : pairs_) {
    if (pair.a > 0) at(pair.a, pair.a) += pair.weight;
    if (pair.b > 0) at(pair.b, pair.b) += pair.weight;
    if (pair.a == 0 || pair.b == 0) continue;
    at(pair.a, pair.b) -= pair.weight;
    at(pair.b, pair.a) -= pair.weight;
  }
}

void LogRatioGraph::add_query(std::span<const double> added) {
  std::fill(g_.begin(), g_.end(), 0.0);
  for (std::size_t e = 0; e < pairs_.size(); ++e) {
    g_[pairs_[e].a] += pairs_[e].weight * added[e];
    g_[pairs_[e].b] -= pairs_[e].weight * added[e];
  }
  ++queries_;
  for (std::size_t i = 0; i < size_; ++i) {
    if (g_[i + 1] == 0) continue;
    for (std::size_t j = 0; j < size_; ++j) middle_[i * size_ + j] += g_[i + 1] * g_[j + 1];
  }
}

PositionLogs LogRatioGraph::solve() const {
  PositionLogs logs{std::vector<double>(size_ + 1, 0.0), std::vector<double>(size_ + 1, 0.0)};
  if (size_ == 0) return logs;
  const std::span<double> x = std::span(logs.x).subspan(1);
  for (const LogRatio& pair : pairs_) {
    if (pair.a > 0) x[pair.a - 1] += pair.weight * pair.value;
    if (pair.b > 0) x[pair.b - 1] -= pair.weight * pair.value;
  }
  if (!solve_positive(laplacian_, x))
    throw Error(ErrorCode::bad_input, "counts differ so much in size that propensities cannot be solved for");
  std::fill(logs.error.begin() + 1, logs.error.end(), kNaN);
  if (queries_ < 2) return logs;
  const std::vector<double> inverse = inverse_of(laplacian_, size_);
  const double correction = real(queries_) / real(queries_ - 1);
  for (std::size_t k = 0; k < size_; ++k) {
    const double* row = &inverse[k * size_];
    double variance = 0;
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j) variance += row[i] * middle_[i * size_ + j] * row[j];
    logs.error[k + 1] = std::sqrt(std::max(0.0, correction * variance));
  }
  return logs;
}

}  // namespace dorm

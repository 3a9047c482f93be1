// SPDX-License-Identifier: Apache-2.0
// Risks for the tests of solvers (one with its planes listed, one with a ranking oracle that is a sort), and the bytes
// of their states.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/vector/vector_ops.h"
#include "dorm/solver.h"

namespace dorm::test {

inline SolveOptions with(SolverKind kind, double tolerance) {
  SolveOptions options;
  options.solver = kind;
  options.tolerance = tolerance;
  options.max_passes = 100000;
  return options;
}

inline std::string saved(const SolverState& state) {
  std::ostringstream out;
  state.save(out);
  return out.str();
}

inline SolverState loaded(const std::string& bytes) {
  std::istringstream in(bytes);
  return SolverState::load(in);
}

/// H_q(w) = max(0, max over the listed planes).
class ListedRisk : public StructuredRisk {
 public:
  ListedRisk(std::size_t dimension, std::vector<double> weights, std::vector<std::vector<Plane>> planes)
      : geometry_(dimension), weights_(std::move(weights)), planes_(std::move(planes)) {}

  std::size_t num_blocks() const override { return planes_.size(); }
  const Geometry& geometry() const override { return geometry_; }
  double block_weight(std::size_t block) const override { return weights_[block]; }

  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace&) const override {
    out = {0, std::vector<float>(dimension(), 0.0f), {}};
    double best = 0;
    for (const Plane& plane : planes_[block]) {
      const double value = plane.offset - geometry_.dot(w, plane);
      if (value <= best) continue;
      best = value;
      out = plane;
    }
    return best;
  }

  void scale_weights(double factor) {
    for (double& weight : weights_) weight *= factor;
  }

 private:
  EuclideanGeometry geometry_;
  std::vector<double> weights_;
  std::vector<std::vector<Plane>> planes_;
};

struct SortRiskOptions {
  std::size_t blocks = 60;
  std::size_t min_documents = 5, max_documents = 20;
  std::size_t dimension = 12;
  std::size_t cutoff = 10;
  double weight = 0.1;  // C_q
  double noise = 0.3;
  bool sparse = false;
  std::uint64_t seed = 1;
};

/// NDCG@cutoff with the decay equal to the discount: the most violated ranking sorts by score - gain. Labels 0..4 are
/// made from a hidden linear score; the reference is the label order, ties by that score.
class SortRisk : public StructuredRisk {
 public:
  explicit SortRisk(const SortRiskOptions& options) : options_(options), geometry_(options.dimension) {
    Rng rng(options.seed);
    std::vector<double> hidden(options.dimension);
    for (double& x : hidden) x = rng.normal() / std::sqrt(static_cast<double>(options.dimension));
    for (std::size_t q = 0; q < options.blocks; ++q) {
      Query query;
      query.documents = options.min_documents + rng.below(options.max_documents - options.min_documents + 1);
      query.features.resize(query.documents * options.dimension);
      for (float& x : query.features) x = options.sparse && rng.below(4) != 0 ? 0.0f : static_cast<float>(rng.normal());
      std::vector<double> truth(query.documents);
      multiply(rows(query), hidden, truth);
      for (double& t : truth) t += options.noise * rng.normal();
      fill_gains(query, truth);
      queries_.push_back(std::move(query));
    }
  }

  std::size_t num_blocks() const override { return queries_.size(); }
  const Geometry& geometry() const override { return geometry_; }
  double block_weight(std::size_t) const override { return options_.weight; }
  double linearize_cost(std::size_t block) const override {
    return static_cast<double>(queries_[block].documents * (options_.dimension + 40));
  }
  void set_weight(double weight) { options_.weight = weight; }

  struct Workspace : RiskWorkspace {
    std::vector<double> scores, coefficients, direction;
    std::vector<std::size_t> order;
  };
  std::unique_ptr<RiskWorkspace> make_workspace() const override { return std::make_unique<Workspace>(); }

  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override {
    auto& work = dynamic_cast<Workspace&>(workspace);
    const Query& query = queries_[block];
    const std::size_t n = std::min(options_.cutoff, query.documents);
    work.scores.resize(query.documents);
    multiply(rows(query), w, work.scores);
    work.order.resize(query.documents);
    std::iota(work.order.begin(), work.order.end(), 0u);
    const auto before = [&](std::size_t i, std::size_t j) {
      const double x = work.scores[i] - query.gains[i], y = work.scores[j] - query.gains[j];
      return x != y ? x > y : i < j;
    };
    std::partial_sort(work.order.begin(), work.order.begin() + static_cast<std::ptrdiff_t>(n), work.order.end(),
                      before);
    work.coefficients = query.reference;
    double offset = query.best_value;
    for (std::size_t j = 0; j < n; ++j) {
      offset -= discount(j) * query.gains[work.order[j]];
      work.coefficients[work.order[j]] -= discount(j);
    }
    store(query, offset, out, work);
    double value = offset;
    for (std::size_t i = 0; i < query.documents; ++i) value -= work.scores[i] * work.coefficients[i];
    return value;
  }

 private:
  struct Query {
    std::size_t documents = 0;
    std::vector<float> features;
    std::vector<double> gains, reference;  // reference: the decay each document has in the reference ranking
    double best_value = 0;
  };

  static double discount(std::size_t position) { return 1 / std::log2(static_cast<double>(position) + 2); }

  DenseRows rows(const Query& query) const {
    return {query.features.data(), query.documents, options_.dimension, options_.dimension};
  }

  void fill_gains(Query& query, const std::vector<double>& truth) const {
    std::vector<std::size_t> order(query.documents);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return truth[i] > truth[j]; });
    query.gains.resize(query.documents);
    query.reference.resize(query.documents);
    for (std::size_t j = 0; j < query.documents; ++j) {
      const std::size_t grade = 4 * (query.documents - j) / (query.documents + j * j);
      query.gains[order[j]] = std::pow(2.0, static_cast<double>(grade)) - 1;
      if (j < options_.cutoff) query.reference[order[j]] = discount(j);
      if (j < options_.cutoff) query.best_value += discount(j) * query.gains[order[j]];
    }
    for (double& gain : query.gains) gain /= query.best_value;
    query.best_value = 1;
  }

  void store(const Query& query, double offset, Plane& out, Workspace& work) const {
    work.direction.assign(options_.dimension, 0.0);
    accumulate(rows(query), work.coefficients, work.direction);
    out.offset = offset;
    out.direction.clear();
    out.columns.clear();
    for (std::size_t k = 0; k < options_.dimension; ++k) {
      if (options_.sparse && work.direction[k] == 0) continue;
      if (options_.sparse) out.columns.push_back(static_cast<std::uint32_t>(k));
      out.direction.push_back(static_cast<float>(work.direction[k]));
    }
  }

  SortRiskOptions options_;
  EuclideanGeometry geometry_;
  std::vector<Query> queries_;
};

}  // namespace dorm::test

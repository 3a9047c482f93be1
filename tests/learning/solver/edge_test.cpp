// SPDX-License-Identifier: Apache-2.0
// Degenerate problems, interruptions and limits, and risks with a geometry of their own.
#include <gtest/gtest.h>

#include <limits>

#include "dorm/error.h"
#include "learning/solver/test_risks.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::ListedRisk;
using test::SortRisk;

SolveOptions quick(std::string_view name, double tolerance = 1e-6) {
  SolveOptions options;
  options.solver = parse_solver(name);
  options.tolerance = tolerance;
  options.max_passes = 3000;
  return options;
}

TEST(Edge, NoBlocksAndZeroWeightsGiveZero) {
  const ListedRisk none(3, {}, {});
  const ListedRisk idle(1, {0, 0}, {{{1, {1}, {}}}, {{2, {1}, {}}}});
  for (const CatalogEntry& solver : solver_catalog()) {
    const SolveResult empty = solve(none, quick(solver.name));
    EXPECT_EQ(empty.w, std::vector<double>(3, 0.0)) << solver.name;
    EXPECT_EQ(empty.report.status, SolveStatus::converged) << solver.name;
    EXPECT_EQ(solve(idle, quick(solver.name)).w, std::vector<double>(1, 0.0)) << solver.name;
  }
}

TEST(Edge, ZeroIsOptimalWhenPlanesOppose) {
  // H(w) = max(1 - w, 1 + w) = 1 + |w|: the optimum is w = 0 with P = D = C.
  const ListedRisk risk(1, {2}, {{{1, {1}, {}}, {1, {-1}, {}}}});
  for (const std::string_view name : {"bcda", "nslack", "oneslack", "bcfw"}) {
    const SolveResult result = solve(risk, quick(name, 1e-3));
    EXPECT_EQ(result.report.status, SolveStatus::converged) << name;
    EXPECT_NEAR(result.report.primal, 2, 2e-3) << name;
    EXPECT_NEAR(result.w[0], 0, 1e-3) << name;
  }
}

TEST(Edge, OneBlockOnePlaneByHand) {
  // min 1/2 w^2 + C max(0, 1 - 2 w): w = min(2 C, 1/2).
  for (const double weight : {0.1, 1e6}) {
    const ListedRisk risk(1, {weight}, {{{1, {2}, {}}}});
    for (const std::string_view name : {"bcda", "nslack", "oneslack", "bcfw"}) {
      const SolveResult result = solve(risk, quick(name, 1e-9));
      EXPECT_NEAR(result.w[0], std::min(2 * weight, 0.5), 1e-9) << name << " C " << weight;
      EXPECT_EQ(result.report.status, SolveStatus::converged) << name << " C " << weight;
    }
  }
}

TEST(Edge, PlanesWithoutDirectionOnlyAddAConstant) {
  const ListedRisk risk(2, {1, 3}, {{{0.5, {0, 0}, {}}}, {{0.25, {0, 0}, {}}}});
  for (const CatalogEntry& solver : solver_catalog()) {
    const SolveReport report = solve(risk, quick(solver.name)).report;
    EXPECT_NEAR(report.primal, 1.25, 1e-12) << solver.name;
    EXPECT_NEAR(report.dual, 1.25, 1e-5) << solver.name;
  }
}

TEST(Edge, HugeCConverges) {
  for (const std::string_view name : {"bcda", "oneslack"}) {
    const double weight = name == "bcda" ? 10 : 1e4;  // block steps slow down with C, the joint program does not
    const SortRisk risk({.blocks = 10, .dimension = 4, .weight = weight, .noise = 1.0});
    const SolveReport report = solve(risk, quick(name, 1e-3)).report;
    EXPECT_EQ(report.status, SolveStatus::converged) << name << " gap " << report.gap;
  }
}

TEST(Edge, ObserverStopsWithTheBestPointAndItsCertificate) {
  const SortRisk risk({.weight = 1.0});
  for (const CatalogEntry& solver : solver_catalog()) {
    int calls = 0;
    const SolveResult result = solve(risk, quick(solver.name, 1e-9), [&](const Progress& p) {
      calls += p.evaluated;
      return calls < 3;
    });
    EXPECT_EQ(result.report.status, SolveStatus::interrupted) << solver.name;
    EXPECT_EQ(calls, 3) << solver.name;
    const auto workspace = risk.make_workspace();
    Plane plane;
    double primal = 0.5 * risk.geometry().inner(result.w, result.w);
    for (std::size_t q = 0; q < risk.num_blocks(); ++q)
      primal += risk.block_weight(q) * risk.linearize(q, result.w, plane, *workspace);
    EXPECT_NEAR(result.report.primal, primal, 1e-12 * primal) << solver.name;
    EXPECT_LE(result.report.dual, primal) << solver.name;
    EXPECT_NEAR(result.report.gap, (result.report.primal - result.report.dual) / result.report.primal, 1e-15);
  }
}

TEST(Edge, ObserverStopsBetweenEvaluationsToo) {
  const SortRisk risk({.weight = 1.0});
  for (const std::string_view name : {"bcda", "bcfw", "online"}) {
    std::uint64_t stopped_at = 0;
    const SolveResult result = solve(risk, quick(name, 1e-9), [&](const Progress& p) {
      if (stopped_at == 0 && p.pass >= 20 && !p.evaluated) stopped_at = p.pass;
      return stopped_at == 0;
    });
    EXPECT_EQ(result.report.status, SolveStatus::interrupted) << name;
    EXPECT_LE(result.report.passes, stopped_at + 2) << name;
    EXPECT_GT(result.report.history.back().pass, stopped_at) << name;
  }
}

TEST(Edge, PassLimitIsKept) {
  const SortRisk risk({.weight = 1.0});
  for (const CatalogEntry& solver : solver_catalog())
    for (const std::uint64_t limit : {1u, 2u, 7u}) {
      SolveOptions options = quick(solver.name, 0);
      options.max_passes = limit;
      const SolveReport report = solve(risk, options).report;
      EXPECT_EQ(report.status, SolveStatus::pass_limit) << solver.name << " limit " << limit << " gap " << report.gap;
      EXPECT_LE(report.passes, limit) << solver.name;
      EXPECT_EQ(report.oracle_calls, report.passes * risk.num_blocks()) << solver.name;
    }
}

TEST(Edge, StartWeightsAreTheFirstPointOffered) {
  const SortRisk risk({.weight = 0.3, .seed = 4});
  const SolveResult best = solve(risk, quick("bcda"));
  for (const std::string_view name : {"bcda", "nslack", "oneslack", "bcfw", "online"}) {
    SolveOptions options = quick(name, 1e-12);
    options.max_passes = 3;
    const SolveResult result = solve(risk, options, {}, {best.w, {}});
    EXPECT_LE(result.report.primal, best.report.primal) << name;
  }
}

class NotFinite : public ListedRisk {
 public:
  using ListedRisk::ListedRisk;
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& work) const override {
    const double value = ListedRisk::linearize(block, w, out, work);
    return w[0] == 0 ? value : std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(Edge, ABoundAboveTheValueIsTroubleAndCertifiesNothing) {
  EXPECT_EQ(relative_gap(2, 1), 0.5);
  EXPECT_EQ(relative_gap(1, 1 + 1e-9), 0);
  EXPECT_EQ(relative_gap(1, 1.01), 1);
  EXPECT_EQ(relative_gap(0, 0), 0);
  // Planes that promise more than the values they are said to attain.
  class Lying : public ListedRisk {
   public:
    using ListedRisk::ListedRisk;
    double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& work) const override {
      return 0.9 * ListedRisk::linearize(block, w, out, work);
    }
  };
  const Lying risk(2, {0.01, 0.01}, {{{1, {2, 1}, {}}, {3, {1, 2}, {}}}, {{2, {-1, 1}, {}}}});
  for (const CatalogEntry& solver : solver_catalog()) {
    const SolveReport report = solve(risk, quick(solver.name)).report;
    EXPECT_EQ(report.status, SolveStatus::numerical_trouble) << solver.name;
    EXPECT_EQ(report.gap, 1) << solver.name;
    EXPECT_NE(report.trouble.find("is above"), std::string::npos) << solver.name << report.trouble;
  }
}

TEST(Edge, AnObjectiveThatIsNowhereFiniteIsRefused) {
  constexpr double kHuge = std::numeric_limits<double>::max();
  const ListedRisk risk(1, {kHuge}, {{{kHuge, {2}, {}}}});
  for (const CatalogEntry& solver : solver_catalog())
    EXPECT_NE(test::message_of([&] { solve(risk, quick(solver.name)); }).find("not finite"), std::string::npos)
        << solver.name;
}

TEST(Edge, ValuesThatAreNotFiniteEndTheRun) {
  const NotFinite risk(1, {1}, {{{1, {2}, {}}}});
  for (const CatalogEntry& solver : solver_catalog())
    EXPECT_EQ(solve(risk, quick(solver.name)).report.status, SolveStatus::numerical_trouble) << solver.name;
  for (const CatalogEntry& solver : solver_catalog())
    EXPECT_EQ(solve(risk, quick(solver.name)).w.size(), 1u) << solver.name;
}

TEST(Edge, BadRisksAndStartsAreRefused) {
  const SortRisk risk({.blocks = 3, .dimension = 4});
  EXPECT_THROW(solve(risk, {}, {}, {std::vector<double>(3, 0.0), {}}), Error);
  EXPECT_THROW(solve(risk, {}, {}, {std::vector<double>(4, NAN), {}}), Error);
  EXPECT_THROW(solve(ListedRisk(0, {}, {}), {}), Error);
  EXPECT_THROW(solve(ListedRisk(1, {-1}, {{}}), {}), Error);
}

// Coefficients of documents: planes are sparse in the documents of their block, weights hold the coefficients and,
// behind them, the scores, so that all products go through the Gram matrix.
class CoefficientSpace : public Geometry {
 public:
  explicit CoefficientSpace(std::vector<std::vector<double>> documents) : documents_(std::move(documents)) {}

  std::size_t dimension() const override { return 2 * documents_.size(); }
  double kernel(std::size_t i, std::size_t j) const {
    return std::inner_product(documents_[i].begin(), documents_[i].end(), documents_[j].begin(), 0.0);
  }
  double inner(const Plane& x, const Plane& y) const override {
    double sum = 0;
    for (std::size_t i = 0; i < x.columns.size(); ++i)
      for (std::size_t j = 0; j < y.columns.size(); ++j)
        sum += static_cast<double>(x.direction[i]) * static_cast<double>(y.direction[j]) *
               kernel(x.columns[i], y.columns[j]);
    return sum;
  }
  double inner(std::span<const double> v, std::span<const double> w) const override {
    double sum = 0;
    for (std::size_t i = 0; i < documents_.size(); ++i) sum += v[i] * w[documents_.size() + i];
    return sum;
  }
  double dot(std::span<const double> w, const Plane& plane) const override {
    double sum = 0;
    for (std::size_t k = 0; k < plane.columns.size(); ++k)
      sum += static_cast<double>(plane.direction[k]) * w[documents_.size() + plane.columns[k]];
    return sum;
  }
  void add(double scale, const Plane& plane, std::span<double> w) const override {
    for (std::size_t k = 0; k < plane.columns.size(); ++k) {
      const double coefficient = scale * static_cast<double>(plane.direction[k]);
      w[plane.columns[k]] += coefficient;
      for (std::size_t i = 0; i < documents_.size(); ++i)
        w[documents_.size() + i] += coefficient * kernel(i, plane.columns[k]);
    }
  }

 private:
  std::vector<std::vector<double>> documents_;
};

// A linear problem in such coefficients.
class CoefficientRisk : public StructuredRisk {
 public:
  CoefficientRisk(std::vector<std::vector<double>> documents, std::vector<std::vector<Plane>> planes)
      : space_(std::move(documents)), planes_(std::move(planes)) {}

  std::size_t num_blocks() const override { return planes_.size(); }
  const Geometry& geometry() const override { return space_; }
  double block_weight(std::size_t) const override { return 0.7; }

  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace&) const override {
    double best = 0;
    out = {};
    for (const Plane& plane : planes_[block]) {
      const double value = plane.offset - space_.dot(w, plane);
      if (value <= best) continue;
      best = value;
      out = plane;
    }
    return best;
  }

 private:
  CoefficientSpace space_;
  std::vector<std::vector<Plane>> planes_;
};

TEST(Geometry, CoefficientsThroughAGramMatrixReachTheLinearOptimum) {
  Rng rng(5);
  std::vector<std::vector<double>> documents(12, std::vector<double>(3));
  for (auto& row : documents)
    for (double& x : row) x = static_cast<double>(static_cast<float>(2 * rng.uniform() - 1));
  std::vector<std::vector<Plane>> by_document(3), linear(3);
  for (std::uint32_t q = 0; q < 3; ++q)
    for (int k = 0; k < 20; ++k) {
      Plane plane{rng.uniform(), {}, {}}, direct{plane.offset, std::vector<float>(3), {}};
      std::vector<double> sum(3);
      for (std::uint32_t i = 4 * q; i < 4 * q + 4; ++i) {
        plane.columns.push_back(i);
        plane.direction.push_back(static_cast<float>(rng.below(9)) / 4 - 1);
        for (std::size_t j = 0; j < 3; ++j) sum[j] += static_cast<double>(plane.direction.back()) * documents[i][j];
      }
      for (std::size_t j = 0; j < 3; ++j) direct.direction[j] = static_cast<float>(sum[j]);
      by_document[q].push_back(plane);
      linear[q].push_back(direct);
    }
  const CoefficientRisk kernel_risk(documents, by_document);
  const ListedRisk linear_risk(3, {0.7, 0.7, 0.7}, linear);
  for (const std::string_view name : {"bcda", "nslack", "oneslack", "bcfw"}) {
    const double tolerance = name == "bcfw" ? 1e-3 : 1e-7;
    const SolveReport expected = solve(linear_risk, quick(name, tolerance)).report;
    const SolveReport actual = solve(kernel_risk, quick(name, tolerance)).report;
    EXPECT_EQ(actual.status, SolveStatus::converged) << name;
    EXPECT_NEAR(actual.primal, expected.primal, 2 * tolerance * expected.primal + 1e-6) << name;
  }
}

}  // namespace
}  // namespace dorm

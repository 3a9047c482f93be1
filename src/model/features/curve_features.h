// SPDX-License-Identifier: Apache-2.0
// The representation of curves: weights are those of the features, then the rises of their curves, feature by feature.
// A value is stored as the piece it falls into and its place there, in two bytes, so that no column of a piece is ever
// made: scores are sums over two lookups, the pull-back adds up pieces and then sums over those behind each. A missing
// value has a weight of its own, beside what a document at the median of the feature has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dorm/data/scale.h"
#include "dorm/learning/curves.h"
#include "model/features/curve_kernels.h"
#include "model/features/representation.h"

namespace dorm {

/// Where the pieces of a feature lie.
struct CurvePieces {
  std::vector<double> edges;  // of the pieces, the least value first; steps: of the intervals between them
  double median = 0;
  bool curved = false;                 // else a line alone
  std::size_t rises = 0;               // lines: one per piece; steps: one less
  std::size_t weight = 0;              // the first rise among the weights
  std::optional<std::size_t> missing;  // which weight a missing value has; none: there is none in the data
  std::size_t pieces() const { return edges.size() - 1; }
  /// What codes tell apart.
  std::size_t bins() const { return pieces() + (missing ? 1 : 0); }
  /// Of a value, missing or not.
  std::uint16_t code_of(double x) const;
};

/// Knots of all features: fitted once, and shared by trainings whose weights are to be added.
struct CurveBasis {
  CurveShape shape = CurveShape::lines;
  std::vector<CurvePieces> features;
  std::size_t dimension = 0;

  /// The weights of the features and the curves that `w` is.
  std::vector<double> weights_of(std::span<const double> w) const;
  Curves curves_of(std::span<const double> w) const;
};

/// At quantiles of the scaled features, in which no single value counts for more than half a piece. Throws
/// Error(unsupported) for compressed features.
CurveBasis fit_curves(const CurveRequest& request, const Dataset& data, const Scaling& scaling, std::size_t threads);

class CurveFeatures final : public Representation {
 public:
  CurveFeatures(const Dataset& data, const Scaling& scaling, CurveBasis basis, std::size_t threads);
  /// Those of some queries, which share what is stored.
  CurveFeatures select(const std::vector<std::size_t>& queries) const;

  const CurveBasis& basis() const { return *basis_; }
  const Dataset& data() const override { return data_; }
  std::size_t dimension() const override { return basis_->dimension; }
  std::span<const std::int8_t> signs() const override { return signs_; }
  /// Of the features: those of a curve are the signs of its rises, too.
  void set_signs(std::span<const std::int8_t> of_features);

  void scores(std::size_t query, std::span<const double> w, std::span<double> out) const override {
    ScoreWorkspace workspace;
    scores_then(query, query, w, out, workspace);
  }
  void scores_then(std::size_t query, std::size_t upcoming, std::span<const double> w, std::span<double> out,
                   ScoreWorkspace& workspace) const override;
  void pull_back(std::size_t query, std::span<const double> coefficients, Plane& out,
                 PullBackWorkspace& workspace) const override;
  std::vector<double> combine(std::span<const double> coefficients, std::size_t threads) const override;
  double centred_norm(std::size_t threads) const override;
  double work(std::size_t query) const override;

 private:
  const std::uint16_t* codes(std::size_t query) const { return codes_->data() + first_[query] * features_; }
  void fill_tables(std::span<const double> w, std::span<double> tables) const;
  /// The direction that sums of add_codes() are. Those of missing values are changed; kRisePadding numbers behind it
  /// are written.
  void fold(std::span<double> sums, std::span<double> direction) const;
  double scatter(std::span<const std::uint16_t> codes, std::size_t feature) const;
  void add_slots(const CurvePieces& feature);

  Dataset data_;
  std::shared_ptr<const CurveBasis> basis_;
  std::shared_ptr<const std::vector<std::uint16_t>> codes_;  // query by query, feature by feature
  std::vector<std::size_t> first_;                           // by query: its first row there
  std::size_t features_ = 0;
  std::vector<CurveSlots> slots_;         // by feature
  std::vector<double> line_, line_rise_;  // by slot: the feature itself at its beginning, and per unit of a code
  std::vector<std::int8_t> signs_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Representations that know phi by its products only. Weights are coefficients beta of the documents with their
// scores beside them,
//
//     w = [ beta | g ],   g = K beta,   <v, w> = beta_v . g_w,
//
// and a plane is a few coefficients of the documents of one query. So scores and products with planes cost nothing, and
// adding planes costs rows of the Gram matrix K, however those are made.
#pragma once

#include "model/features/representation.h"

namespace dorm {

class ExpansionSpace : public Representation {
 public:
  using Geometry::inner;

  std::size_t dimension() const override { return 2 * data().num_documents(); }
  double inner(std::span<const double> v, std::span<const double> w) const override;
  double dot(std::span<const double> w, const Plane& plane) const override;
  void add(double scale, const Plane& plane, std::span<double> w) const override;
  void add_all(std::span<const double> scales, std::span<const Plane> planes, std::span<double> w) const override;
  bool well_formed(const Plane& plane) const override;

  void scores(std::size_t query, std::span<const double> w, std::span<double> out) const override;
  void pull_back(std::size_t query, std::span<const double> coefficients, Plane& out,
                 PullBackWorkspace& workspace) const override;
  std::vector<double> combine(std::span<const double> coefficients, std::size_t threads) const override;
  double work(std::size_t query) const override;

 protected:
  virtual std::size_t query_of(std::size_t document) const = 0;

  /// w += sum_k coefficients[k] phi of documents[k], which increase.
  virtual void add_documents(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                             std::span<double> w) const = 0;
};

}  // namespace dorm

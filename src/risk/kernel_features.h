// SPDX-License-Identifier: Apache-2.0
// The kernel representation: phi_i is the kernel function of document i. Weights are coefficients beta of the
// documents with their scores beside them,
//
//     w = [ beta | g ],   g = K beta,   <v, w> = beta_v . g_w,
//
// and a plane is a few coefficients of the documents of one query. So scores and products with planes cost
// nothing, and adding planes costs rows of the Gram matrix K.
#pragma once

#include <vector>

#include "kernel/gram_cache.h"
#include "risk/representation.h"

namespace dorm {

class KernelFeatures final : public Representation {
 public:
  /// `cache_bytes` bounds the rows and the within-query blocks of K that are kept. Throws Error(bad_option)
  /// when the blocks alone do not fit.
  KernelFeatures(const Kernel& kernel, const Dataset& data, std::uint64_t cache_bytes, std::size_t threads);

  const Dataset& data() const override { return documents_.data(); }
  const Documents& documents() const { return documents_; }
  const GramCache& gram() const { return gram_; }

  std::size_t dimension() const override { return 2 * documents_.size(); }
  double inner(const Plane& x, const Plane& y) const override;
  double inner(std::span<const double> v, std::span<const double> w) const override;
  double dot(std::span<const double> w, const Plane& plane) const override;
  void add(double scale, const Plane& plane, std::span<double> w) const override;
  void add_all(std::span<const double> scales, std::span<const Plane> planes,
               std::span<double> w) const override;
  bool well_formed(const Plane& plane) const override;

  void scores(std::size_t query, std::span<const double> w, std::span<double> out) const override;
  void pull_back(std::size_t query, std::span<const double> coefficients, Plane& out,
                 PullBackWorkspace& workspace) const override;
  std::vector<double> combine(std::span<const double> coefficients, std::size_t threads) const override;
  double centred_norm(std::size_t threads) const override;
  double work(std::size_t query) const override;

 private:
  void add_rows(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                std::span<double> w) const;
  float entry(std::uint32_t i, std::uint32_t j) const;  // two documents of one query

  Documents documents_;
  std::vector<std::size_t> block_begin_;  // by query, into blocks_
  std::vector<float> blocks_;             // K of the documents of each query
  GramCache gram_;
};

/// Representation::centred_norm() of any data, query by query: no more than one block of K at a time.
double centred_kernel_norm(const Kernel& kernel, const Dataset& data, std::size_t threads);

}  // namespace dorm

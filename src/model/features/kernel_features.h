// SPDX-License-Identifier: Apache-2.0
// The kernel representation: phi_i is the kernel function of document i, and rows of the Gram matrix are kept as far
// as memory allows.
#pragma once

#include <vector>

#include "model/features/expansion_space.h"
#include "model/kernel/gram_cache.h"

namespace dorm {

class KernelFeatures final : public ExpansionSpace {
 public:
  /// `cache_bytes` bounds the rows and the within-query blocks of K that are kept. Throws Error(bad_option) when the
  /// blocks alone do not fit. Rows are made at `place`; those of a device may differ from their transposes in the last
  /// bit, the blocks never do.
  KernelFeatures(const Kernel& kernel, const Dataset& data, std::uint64_t cache_bytes, const ComputeOptions& place);
  KernelFeatures(const Kernel& kernel, const Dataset& data, std::uint64_t cache_bytes, std::size_t threads)
      : KernelFeatures(kernel, data, cache_bytes, ComputeOptions{.threads = threads}) {}

  const Dataset& data() const override { return documents_.data(); }
  const Documents& documents() const { return documents_; }
  const GramCache& gram() const { return gram_; }

  using ExpansionSpace::inner;
  double inner(const Plane& x, const Plane& y) const override;
  double centred_norm(std::size_t threads) const override;

 private:
  std::size_t query_of(std::size_t document) const override { return documents_.query_of(document); }
  void add_documents(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                     std::span<double> w) const override;
  void take_blocks();                                   // from rows
  float entry(std::uint32_t i, std::uint32_t j) const;  // two documents of one query

  Documents documents_;
  std::vector<std::size_t> block_begin_;  // by query, into blocks_
  std::vector<float> blocks_;             // K of the documents of each query
  GramCache gram_;
};

/// Representation::centred_norm() of any data, query by query: no more than one block of K at a time.
double centred_kernel_norm(const Kernel& kernel, const Dataset& data, std::size_t threads);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Choosing the documents a kernel is approximated by, and the features they give:
//
//     z(x) = L^-1 k(landmarks, x),   L L' = K of the landmarks,
//
// so that z(x) . z(y) = k(x, y) exactly where x or y is a landmark (Nystroem; with pivots chosen one by one, the
// incomplete Cholesky factor).
#pragma once

#include <vector>

#include "model/kernel/feature_map.h"

namespace dorm {

/// Increasing numbers of distinct documents, at most `approximation.size`:
///   uniform   drawn without replacement
///   kmeans    drawn one by one with probability in proportion to the squared distance, in the kernel's own
///             space, from those drawn before (k-means++)
///   greedy    one by one the document that those chosen before explain least (largest residual of the
///             Cholesky factor), among a sample; kind cholesky: among all
std::vector<std::uint32_t> choose_landmarks(const Approximation& approximation, const Kernel& kernel,
                                            const Documents& documents, std::uint64_t seed, std::size_t threads,
                                            const MapWatch& watch = {});

class LandmarkMap final : public FeatureMap {
 public:
  /// `kernel` must outlive the map.
  LandmarkMap(const Kernel& kernel, const Documents& documents, std::span<const std::uint32_t> landmarks);

  std::size_t size() const override { return columns_->size(); }
  void compute(const Documents& documents, std::span<const std::uint32_t> rows, float* out,
               std::size_t stride) const override;
  std::unique_ptr<const DeviceKernel> on_device(const ComputeOptions& place) const override;
  KernelExpansion expansion(std::span<const double> w) const override;

 private:
  const Kernel& kernel_;
  Dataset landmarks_;
  std::unique_ptr<const KernelColumns> columns_;
  std::vector<double> factor_;  // L, column by column
};

}  // namespace dorm

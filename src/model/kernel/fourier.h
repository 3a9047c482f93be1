// SPDX-License-Identifier: Apache-2.0
// Random Fourier features: k(x, y) = exp(-gamma |x - y|^2) is the mean of cos<f, x - y> over frequencies f that are
// normal with variance 2 gamma, and cos<f, x - y> = cos<f, x> cos<f, y> + sin<f, x> sin<f, y>.
#pragma once

#include <vector>

#include "model/kernel/feature_map.h"
#include "model/kernel/part.h"

namespace dorm {

class FourierMap final : public FeatureMap {
 public:
  /// Draws size / 2 frequencies for an rbf part.
  FourierMap(const Part& rbf, const Documents& documents, std::size_t size, std::uint64_t seed);
  /// With given frequencies, e.g. those of a model. Features are then cos and sin, unscaled.
  explicit FourierMap(const Documents& frequencies);

  std::size_t size() const override { return 2 * frequencies_; }
  void compute(const Documents& documents, std::span<const std::uint32_t> rows, float* out,
               std::size_t stride) const override;
  std::unique_ptr<const DeviceKernel> on_device(const ComputeOptions& place) const override {
    return on_device(place, {});
  }
  /// With coefficients, for scores.
  std::unique_ptr<const DeviceKernel> on_device(const ComputeOptions& place, std::vector<double> coefficients) const;
  KernelExpansion expansion(std::span<const double> w) const override;

 private:
  std::size_t frequencies_, columns_;
  std::vector<float> values_;  // [frequency][column]
  std::vector<std::string> names_;
  float scale_ = 1;  // of every feature
};

}  // namespace dorm

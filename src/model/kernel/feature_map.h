// SPDX-License-Identifier: Apache-2.0
// Explicit features whose inner products approximate a kernel: z(x) . z(y) ~ k(x, y). Data mapped by them is ranked by
// a linear model at full speed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dorm/learning/kernel.h"
#include "model/kernel/device_kernel.h"

namespace dorm {

class FeatureMap {
 public:
  virtual ~FeatureMap() = default;

  virtual std::size_t size() const = 0;  // number of features

  /// out[i * stride + j] = feature j of document rows[i]. Safe from several threads.
  virtual void compute(const Documents& documents, std::span<const std::uint32_t> rows, float* out,
                       std::size_t stride) const = 0;

  /// The same features of documents there.
  virtual std::unique_ptr<const DeviceKernel> on_device(const ComputeOptions& place) const = 0;

  /// The ranker with these weights of the features; kernel, approximation and documents are left to the caller.
  virtual KernelExpansion expansion(std::span<const double> w) const = 0;
};

/// "nystroem:500", "nystroem:500,landmarks=greedy", "fourier:2000", "cholesky:500"
struct Approximation {
  enum class Kind { nystroem, fourier, cholesky } kind = Kind::nystroem;
  enum class Landmarks { uniform, kmeans, greedy } landmarks = Landmarks::kmeans;
  std::size_t size = 0;
};

/// Throws Error(bad_option).
Approximation parse_approximation(std::string_view text);

/// Told now and then, by the calling thread, which share of the work is done; what it throws ends the work.
using MapWatch = std::function<void(double share)>;

/// Fitted on the documents; `kernel` must outlive the map. Throws Error(bad_option) when this kernel cannot be
/// approximated that way.
std::unique_ptr<const FeatureMap> fit_feature_map(const Approximation& approximation, const Kernel& kernel,
                                                  const Documents& documents, std::uint64_t seed, std::size_t threads,
                                                  const MapWatch& watch = {});

/// The mapped data: dense, numbered features.
Dataset apply_feature_map(const FeatureMap& map, const Documents& documents, const ComputeOptions& place,
                          const MapWatch& watch = {});

/// How far z(x) . z(y) is from k(x, y).
struct MapError {
  double pairs = 0;     // root mean square over pairs of a sample, relative to the mean k(x, x)
  double diagonal = 0;  // mean of |k(x, x) - |z(x)|^2|, relative to the same: what is lost of the trace
};
MapError map_error(const FeatureMap& map, const Kernel& kernel, const Documents& documents, std::uint64_t seed);

}  // namespace dorm

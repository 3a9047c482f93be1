// SPDX-License-Identifier: Apache-2.0
// A data set made ready to be scored by rankers that share features, scaling and kernel: matched and scaled once, then
// one product per set of weights.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "data/scale/scale_doubles.h"
#include "dorm/model.h"
#include "model/align.h"
#include "model/features/linear_features.h"
#include "model/kernel/feature_map.h"
#include "model/kernel/gram_cache.h"

namespace dorm {

class Scorer {
 public:
  virtual ~Scorer() = default;

  virtual const Dataset& data() const = 0;

  /// Scores in document order of the data. What weights mean is that of the training they come from.
  virtual std::vector<double> scores(const std::vector<double>& weights, std::size_t threads) const = 0;

  /// What `poll` throws ends a long computation of scores. To be set while none runs.
  virtual void poll_by(const std::function<void()>&) const {}
};

/// Weights of a model's features. Scores are sums in 64 bits of weight times scaled value, from the features as they
/// are in the data: ranking, evaluation and explanation by a linear model use the same ones, to the last bit.
class LinearScorer final : public Scorer {
 public:
  /// Takes features and scaling from `model`, not its weights. About `kept_bytes` are spent on logarithms: of use to
  /// those who score more than once.
  LinearScorer(const Model& model, const Dataset& data, std::size_t threads = 0, std::uint64_t kept_bytes = 0);

  const Dataset& data() const override { return features_.data(); }
  std::vector<double> scores(const std::vector<double>& weights, std::size_t threads) const override;

  /// On a device, which gets scaled rows in 32 bits: sums are those of scores() to the rounding of features. Throws
  /// Error(unsupported) where rows are compressed, and as make_row_device() does.
  std::vector<double> device_scores(const std::vector<double>& weights, const ComputeOptions& place) const;

 private:
  struct Folded;     // weights in the columns of the data
  struct Workspace;  // of a thread

  std::vector<double> fold(const std::vector<double>& weights) const;  // by column
  double constant_part(const std::vector<double>& weights) const;
  void score_stored(std::size_t q, const Folded& folded, Workspace& workspace, std::span<double> out) const;
  void keep(std::uint64_t bytes, std::size_t threads);

  LinearFeatures features_;             // not scaled
  Scaling scaling_;                     // in the columns of the data
  std::vector<std::size_t> weight_of_;  // by column in use: the model's feature, or none
  std::vector<double> constant_;        // by model feature: what one that never occurs contributes per unit of weight
  std::vector<ScaledStored> kept_;      // scaled values of the first queries, where they are costly
};

/// Weights of the features of a map.
class MappedScorer final : public Scorer {
 public:
  /// `aligned` has the features the map was fitted on.
  MappedScorer(const FeatureMap& map, const Dataset& aligned, const ComputeOptions& place, const MapWatch& watch = {})
      : features_(apply_feature_map(map, Documents(aligned), place, watch)) {}

  const Dataset& data() const override { return features_.data(); }
  std::vector<double> scores(const std::vector<double>& weights, std::size_t threads) const override;

 private:
  LinearFeatures features_;
};

/// Coefficients of training documents, which come first among the weights.
class KernelScorer final : public Scorer {
 public:
  KernelScorer(const Kernel& kernel, const Documents& training, const Dataset& aligned, std::uint64_t cache_bytes,
               const ComputeOptions& place)
      : documents_(aligned), gram_(columns_at(place, kernel, training), documents_, cache_bytes, place.threads) {}

  const Dataset& data() const override { return documents_.data(); }
  std::vector<double> scores(const std::vector<double>& weights, std::size_t threads) const override;
  void poll_by(const std::function<void()>& poll) const override { gram_.poll_by(poll); }

 private:
  Documents documents_;
  GramCache gram_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A data set made ready for training: scaled features, the unit of C, and the cheap rankers that rounds start
// from. Everything here is independent of measure, decay, bound and C, so a grid over those shares it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/model.h"
#include "dorm/scale.h"
#include "risk/linear_features.h"

namespace dorm {

class TrainingSet {
 public:
  /// `scale` is "auto" or a name of scaling_catalog(). Throws Error(bad_input) when all features are
  /// constant.
  TrainingSet(const Dataset& data, std::string_view scale, std::size_t threads);

  const LinearFeatures& features() const { return features_; }
  const Scaling& scaling() const { return scaling_; }
  std::size_t threads() const { return threads_; }

  /// s^2: features times s have unit mean squared row norm (centred per query).
  double squared_scale() const { return squared_scale_; }

  /// The weights of a start: "ridge" (with a regularisation, see ridge.h) or "pairwise". Computed once.
  const std::vector<double>& start(std::string_view name, double lambda = kDefaultLambda);

  /// The same without computing: it must have been asked for before. Safe from several threads.
  const std::vector<double>& known_start(std::string_view name) const;

  static constexpr double kDefaultLambda = 1e-3;

  /// A model of these weights; the caller fills in how they were found.
  Model model(const std::vector<double>& w) const;

 private:
  std::vector<double> compute_start(std::string_view name, double lambda) const;

  std::size_t threads_;
  Scaling scaling_;
  LinearFeatures features_;
  double squared_scale_;
  std::map<std::pair<std::string, double>, std::vector<double>> starts_;
};

}  // namespace dorm

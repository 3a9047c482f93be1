// SPDX-License-Identifier: Apache-2.0
// Learning from a stream: every query is read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/model.h"
#include "dorm/train.h"

namespace dorm {

/// Reports the number of queries learnt from; an observer that returns false stops.
using StreamObserver = std::function<bool(std::uint64_t queries)>;

/// Linear weights learnt from queries that are read once, by averaged subgradient steps on the objective of train()
/// with the bound best or predicted:
///
///   shrinkage 1/2 |w|^2 + mean of H_q(w),   shrinkage = mean squared norm of the rows so far / C.
///
/// A step is taken for every 4 queries. Its length is the largest distance from the start so far over the root of the
/// sum of squared gradients; the first one would remove the loss of its queries, were it linear. Both are in the units
/// of the data, so that there is no step size to set. There is no certificate. A plain value.
class Stream {
 public:
  /// Begins at 0, or at the weights of a linear model, whose scaling stays.
  explicit Stream(const Model* initial = nullptr);

  /// Learns from the queries in their order. Of the options, measure, convention, C, decay, bound and scale count;
  /// scalings are limited to those within a query, and the first call chooses `auto`. Throws Error for
  /// other options, and for named features that are missing.
  void learn(const Dataset& data, const TrainOptions& options = {}, const StreamObserver& observer = {});

  /// The average of the weights so far, with the options it was learnt with.
  Model model(const TrainOptions& options = {}) const;

  std::uint64_t queries() const { return model_.data.queries; }

  /// The whole state as text; a loaded stream continues to the same weights. load() throws Error(bad_input) for other
  /// text.
  std::string save() const;
  static Stream load(std::string_view text);

 private:
  class Chunk;

  void take_new_features(const Dataset& data);
  void note_statistics(const Dataset& data, const FeatureStatistics& found);
  void step(Chunk& chunk, std::size_t first, std::size_t end, double C);

  bool begun_ = false;
  Model model_;  // features, scaling, counts of the data, and the average of the weights
  std::vector<double> start_, weights_;
  std::uint64_t steps_ = 0;
  double farthest_ = 0;           // distance of the weights from the start
  double squared_gradients_ = 0;  // summed over the steps
  double squared_norms_ = 0;      // of rows, centred within their queries
};

}  // namespace dorm

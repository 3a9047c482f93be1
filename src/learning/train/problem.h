// SPDX-License-Identifier: Apache-2.0
// The interface of a training to its data: in this process (TaskProblem), or in shards that respond to messages
// (ShardedProblem).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/train.h"
#include "learning/risk/referenced_risk.h"
#include "learning/train/training_set.h"
#include "learning/train/units.h"

namespace dorm {

class TrainingProblem {
 public:
  virtual ~TrainingProblem() = default;

  virtual ReferencedRisk& risk() = 0;
  virtual UnitsOfC units() const = 0;
  /// With usable queries, fingerprint and statistics.
  virtual DataSummary summary() const = 0;
  /// The measure named in a model.
  virtual std::string measure_name() const = 0;
  /// Distinguishes problems on the same data, for checkpoints.
  virtual std::string identity() const { return ""; }
  /// About kernel and approximation; empty for a linear ranker.
  virtual std::string kernel_note() const { return ""; }
  virtual std::size_t solver_threads() const = 0;
  /// Most memory for cached planes; 0: no limit.
  virtual std::uint64_t plane_bytes() const = 0;

  /// Initial models of a bound, and their weights, computed within `seconds` (0: no limit).
  virtual std::vector<InitialModel> starts(Bound bound) const = 0;
  virtual std::vector<double> start(InitialModel start, double seconds) const = 0;

  /// Whether a sum of weights is the ranker of the sum of scores; `spread` as in average.h.
  virtual bool averages() const = 0;
  virtual double spread(std::span<const double> w) const = 0;

  virtual bool has_validation() const = 0;
  virtual MeasureResult validate(const std::vector<double>& w) const = 0;

  /// Features, scaling and weights.
  virtual Model model(const std::vector<double>& w) const = 0;
};

/// Made once the clock of a training runs.
using MakeProblem = std::function<std::unique_ptr<TrainingProblem>()>;

/// Throws Error(bad_option) for early stopping without validation data.
void require_judge(const TrainOptions& options, bool has_validation);

}  // namespace dorm

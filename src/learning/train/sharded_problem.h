// SPDX-License-Identifier: Apache-2.0
// A ranking learnt from shards, as a training sees it: everything is asked for.
#pragma once

#include <optional>

#include "learning/shards/sharded_risk.h"
#include "learning/train/problem.h"

namespace dorm {

/// Whether a solver asks for all shards at one w: `shards` and `lbfgs`.
bool works_on_shards(SolverKind solver);

class ShardedProblem final : public TrainingProblem {
 public:
  /// `validation` may be empty. Throws Error(unsupported) for options that need the documents themselves, else as
  /// train_shards().
  ShardedProblem(const ShardTransport& ask, const TrainOptions& options, const ShardTransport& validation);

  ReferencedRisk& risk() override { return *risk_; }
  UnitsOfC units() const override { return UnitsOfC(squared_scale_, options_.paper_C); }
  DataSummary summary() const override;
  std::string measure_name() const override;
  std::string identity() const override;
  std::size_t solver_threads() const override { return options_.compute.threads; }
  /// All that the process of the solver keeps.
  std::uint64_t plane_bytes() const override { return options_.compute.memory; }

  std::vector<InitialModel> starts(Bound bound) const override;
  std::vector<double> start(InitialModel start, double seconds) const override;

  bool averages() const override { return true; }
  double spread(std::span<const double> w) const override;

  bool has_validation() const override { return validation_.has_value(); }
  MeasureResult validate(const std::vector<double>& w) const override;

  Model model(const std::vector<double>& w) const override;

 private:
  Scaling settle_scaling() const;
  ShardRequest about(Topic topic, bool gains = false) const;
  std::size_t start_step() const;
  std::vector<double> ridge_start(bool gains, const StopAsked& over) const;
  std::vector<double> pairwise_start(bool gains, double seconds) const;

  TrainOptions options_;
  ShardClient workers_;
  std::optional<ShardClient> validation_;
  Scaling scaling_;
  std::vector<std::int8_t> signs_;  // of the weights
  std::string setup_;
  std::unique_ptr<ShardedRisk> risk_;
  double squared_scale_ = 0;
};

/// train() with the solver `shards`, in this process.
TrainResult train_in_shards(const Dataset& data, const TrainOptions& options, const Dataset* validation,
                            const TrainObserver& observer);

}  // namespace dorm

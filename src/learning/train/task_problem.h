// SPDX-License-Identifier: Apache-2.0
// A task with its data in this process, as a training sees it.
#pragma once

#include "device/row_device.h"
#include "learning/train/learning_task.h"
#include "learning/train/problem.h"

namespace dorm {

class TaskProblem final : public TrainingProblem {
 public:
  /// `validation` is of the same kind as `task`, or null. Borrows its arguments. Throws Error as train() does.
  /// `watch` is told while a kernel is approximated; what it throws ends that.
  TaskProblem(const LearningTask& task, const TrainOptions& options, const LearningTask* validation,
              const MapWatch& watch = {});

  ReferencedRisk& risk() override { return *risk_; }
  UnitsOfC units() const override { return set_.units(options_.paper_C); }
  DataSummary summary() const override;
  std::string measure_name() const override { return task_.measure_name(options_); }
  std::string identity() const override { return task_.identity(); }
  std::string kernel_note() const override { return set_.kernel_note(); }
  /// What is left to a solver beside a device is too little to share.
  std::size_t solver_threads() const override { return options_.compute.on_device() ? 1 : set_.solver_threads(); }
  std::uint64_t plane_bytes() const override { return shares_.planes; }

  std::vector<InitialModel> starts(Bound bound) const override;
  std::vector<double> start(InitialModel start, double seconds) const override;

  bool averages() const override { return task_.sorts() && !set_.exact_kernel(); }
  double spread(std::span<const double> w) const override;

  bool has_validation() const override { return validation_ != nullptr; }
  MeasureResult validate(const std::vector<double>& w) const override;

  Model model(const std::vector<double>& w) const override;

 private:
  const LearningTask& task_;
  TrainOptions options_;  // with the threads that the task allows
  const LearningTask* validation_;
  MemoryShares shares_;
  WakingDevice waking_;
  Survey survey_;  // whole once set_ has been made
  TrainingSet set_;
  std::unique_ptr<ReferencedRisk> risk_;
  std::unique_ptr<const Scorer> scorer_;  // of the validation data
};

}  // namespace dorm

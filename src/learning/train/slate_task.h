// SPDX-License-Identifier: Apache-2.0
// Slates: lists that no sort finds, since every position counts on its own or topic budgets must be kept. Both are
// rounds of a PositionRisk that begin at ridge regression on the gains.
#pragma once

#include "learning/risk/position_risk.h"
#include "learning/train/learning_task.h"

namespace dorm {

class SlateTask : public LearningTask {
 public:
  using LearningTask::LearningTask;

  void check(const TrainOptions& options, std::span<const BoundChoice> bounds) const final;
  std::unique_ptr<ReferencedRisk> risk(const TrainingSet& set, const TrainOptions& options) const final;
  /// Ridge regression on the gains: of each position, or for one function their sum weighted by c.
  std::vector<double> start(const TrainingSet& set, const TrainOptions& options, InitialModel start,
                            const StopAsked& stop) const final;
  std::string start_key(const TrainOptions& options, InitialModel) const final {
    return options.measure + " " + options.decay;
  }

 protected:
  /// Gains may be left in `storage`, which outlives the problem.
  virtual PositionProblem problem(const TrainOptions& options, std::vector<double>& storage) const = 0;
};

class PositionTask final : public SlateTask {
 public:
  /// Throws Error(bad_input) for gains that do not fit the data or are not finite.
  PositionTask(const Dataset& data, PositionGains gains, bool one_function);

  std::unique_ptr<const LearningTask> select(const std::vector<std::size_t>& queries) const override;
  std::string_view kind() const override { return "positions"; }
  std::string measure_name(const TrainOptions& options) const override;
  std::string identity() const override;
  MeasureResult validate(const Scorer& scorer, const std::vector<double>& w,
                         const TrainOptions& options) const override;

  std::size_t functions() const override { return one_function_ ? 1 : 1 + gains_.positions; }

  /// c for these positions, whose own weights are those of DCG.
  std::vector<double> decay(const TrainOptions& options) const;
  Learnt learnt(const std::vector<double>& w, const TrainOptions& options, const Describe& describe) const override;

 private:
  PositionProblem problem(const TrainOptions& options, std::vector<double>& storage) const override;
  /// w cut into the part that all positions share and, unless there is one function only, those of each position.
  std::vector<std::vector<double>> parts(const std::vector<double>& w) const;

  PositionGains gains_;
  bool one_function_;
};

class TopicTask final : public SlateTask {
 public:
  /// Throws Error(bad_input) for topics that do not fit the data.
  TopicTask(const Dataset& data, TopicTable topics, std::size_t positions, const TopicOptions& topic_options);

  std::unique_ptr<const LearningTask> select(const std::vector<std::size_t>& queries) const override;
  std::string_view kind() const override { return "topics"; }
  std::string measure_name(const TrainOptions& options) const override;
  std::string identity() const override;
  /// One, unless the library that solves the integer programs may be called from several threads at once.
  std::size_t threads(std::size_t asked) const override;
  MeasureResult validate(const Scorer& scorer, const std::vector<double>& w,
                         const TrainOptions& options) const override;
  TopicReport topics(const ReferencedRisk& risk) const override;

 private:
  PositionProblem problem(const TrainOptions& options, std::vector<double>& storage) const override;

  TopicTable topics_;
  std::size_t positions_;
  TopicOptions topic_options_;
};

}  // namespace dorm

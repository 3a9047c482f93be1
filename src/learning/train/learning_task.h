// SPDX-License-Identifier: Apache-2.0
// What is learnt from a data set, whatever the options: how scores become lists, and how lists are evaluated. Rankings
// by sorting, slates of positions and slates under topic budgets are tasks; training and tuning know no other
// difference between them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/train.h"
#include "learning/risk/referenced_risk.h"
#include "learning/train/training_set.h"

namespace dorm {

/// The custom measure of the options, or the one that they name.
class NamedMeasure {
 public:
  explicit NamedMeasure(const TrainOptions& options)
      : made_(options.own_measure ? nullptr : make_trainable(options.measure, make_convention(options.convention))),
        measure_(options.own_measure ? *options.own_measure : *made_) {}

  const FactoredMeasure& operator*() const { return measure_; }
  std::string name() const { return measure_.name(); }

 private:
  FactoredMeasurePtr made_;
  const FactoredMeasure& measure_;
};

/// Throws Error(bad_option) when labels are gains estimated from clicks and the measure is not linear in them, so that
/// training would be biased. Custom measures are not checked.
void require_estimable(const Dataset& data, const TrainOptions& options);

class LearningTask {
 public:
  explicit LearningTask(Dataset data) : data_(std::move(data)) {}
  virtual ~LearningTask() = default;
  LearningTask(const LearningTask&) = delete;
  LearningTask& operator=(const LearningTask&) = delete;

  const Dataset& data() const { return data_; }

  /// The same on some of the queries.
  virtual std::unique_ptr<const LearningTask> select(const std::vector<std::size_t>& queries) const = 0;

  /// "rankings by sorting", "positions" or "topics".
  virtual std::string_view kind() const = 0;

  /// Throws Error for options that the task has no use for; `bounds` are those of a grid, or the one of the options.
  virtual void check(const TrainOptions& options, std::span<const BoundChoice> bounds) const = 0;

  /// The measure named in a model.
  virtual std::string measure_name(const TrainOptions& options) const = 0;
  /// The measures of a tuning that names none.
  virtual std::vector<std::string> training_measures(const TrainOptions& options) const { return {options.measure}; }

  /// Distinguishes tasks on the same data, for checkpoints.
  virtual std::string identity() const { return ""; }

  /// Scoring functions of its ranker: weights have the features of each.
  virtual std::size_t functions() const { return 1; }

  /// Threads that may search for lists side by side.
  virtual std::size_t threads(std::size_t asked) const { return asked; }

  /// The risk of this data made ready; measure, convention, decay, groups and threads are those of the options.
  virtual std::unique_ptr<ReferencedRisk> risk(const TrainingSet& set, const TrainOptions& options) const = 0;

  /// Initial models of a bound; the first unless validation data or the objective decides.
  virtual std::vector<InitialModel> starts(Bound) const { return {InitialModel::ridge}; }
  /// Whether a weighted sum of weights makes lists as the scores' sum would: then rankers can be averaged, and initial
  /// models can be grid points.
  virtual bool sorts() const { return false; }
  /// Within options.solve.seconds, and until `stop` returns true.
  virtual std::vector<double> start(const TrainingSet& set, const TrainOptions& options, InitialModel start,
                                    const StopAsked& stop) const = 0;
  /// Equal for options whose initial model is the same on a training set.
  virtual std::string start_key(const TrainOptions& options, InitialModel start) const = 0;

  /// How good the lists by weights `w` are, by options.measure; `scorer` is of this data.
  virtual MeasureResult validate(const Scorer& scorer, const std::vector<double>& w,
                                 const TrainOptions& options) const = 0;

  /// The model of weights `w`; `describe` makes one of the weights of a single scoring function.
  struct Learnt {
    Model model;
    std::optional<PositionModel> positions = {};
  };
  using Describe = std::function<Model(const std::vector<double>&)>;
  virtual Learnt learnt(const std::vector<double>& w, const TrainOptions&, const Describe& describe) const {
    return {describe(w)};
  }
  /// How the integer programs of a training ended.
  virtual TopicReport topics(const ReferencedRisk&) const { return {}; }

 private:
  Dataset data_;
};

/// The task of the validation data, or null. Throws Error(bad_input) for one of another kind.
const LearningTask* validation_of(const LearningTask& task, const Task& validation);

/// The same, with the solver `lbfgs` on a GPU unless another is named.
TrainOptions for_device(TrainOptions options);

/// Throws Error(unsupported) where `what`, e.g. "slates are", would be learnt on another device.
void require_cpu(const TrainOptions& options, std::string_view what);

/// Initial models of a bound on sorted rankings.
std::vector<InitialModel> ranking_starts(Bound bound);

/// Throws Error(bad_option) for ties by a feature when none of the bounds is `given`, the one that has them.
void require_given(const TrainOptions& options, std::span<const BoundChoice> bounds);

/// The initial model that the options name, else those of the task.
std::vector<InitialModel> starts_of(const LearningTask& task, const TrainOptions& options, Bound bound);

/// Rankings by sorting, perhaps with limits on groups.
class RankingTask final : public LearningTask {
 public:
  using LearningTask::LearningTask;

  std::unique_ptr<const LearningTask> select(const std::vector<std::size_t>& queries) const override;
  std::string_view kind() const override { return "rankings by sorting"; }
  void check(const TrainOptions& options, std::span<const BoundChoice> bounds) const override;
  std::string measure_name(const TrainOptions& options) const override;
  std::vector<std::string> training_measures(const TrainOptions& options) const override;
  std::unique_ptr<ReferencedRisk> risk(const TrainingSet& set, const TrainOptions& options) const override;
  std::vector<InitialModel> starts(Bound bound) const override { return ranking_starts(bound); }
  std::vector<double> start(const TrainingSet& set, const TrainOptions& options, InitialModel start,
                            const StopAsked& stop) const override;
  std::string start_key(const TrainOptions&, InitialModel start) const override { return std::string(name_of(start)); }
  bool sorts() const override { return true; }
  MeasureResult validate(const Scorer& scorer, const std::vector<double>& w,
                         const TrainOptions& options) const override;
};

}  // namespace dorm

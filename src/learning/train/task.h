// SPDX-License-Identifier: Apache-2.0
// What is learnt from a data set, whatever the options: how scores become lists, and how lists are judged. Rankings by
// sorting, lists in which every position counts on its own, and lists under topic budgets are tasks; training and
// tuning know no other difference between them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/train.h"
#include "learning/risk/referenced_risk.h"
#include "learning/train/training_set.h"

namespace dorm {

/// The caller's own measure, or the one that options name.
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
/// what is trained for would be biased. A measure of the caller's own is left to the caller.
void require_estimable(const Dataset& data, const TrainOptions& options);

class Task {
 public:
  explicit Task(Dataset data) : data_(std::move(data)) {}
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const Dataset& data() const { return data_; }

  /// The same on some of the queries.
  virtual std::unique_ptr<const Task> select(const std::vector<std::size_t>& queries) const = 0;

  /// What a model is said to be trained for.
  virtual std::string measure_name(const TrainOptions& options) const = 0;

  /// What tells two tasks on the same data apart, for checkpoints.
  virtual std::string identity() const { return ""; }

  /// Scoring functions of its ranker: weights have the features of each.
  virtual std::size_t functions() const { return 1; }

  /// Threads that may ask for lists side by side.
  virtual std::size_t threads(std::size_t asked) const { return asked; }

  /// The risk of this data made ready; measure, convention, decay, groups and threads are those of the options.
  virtual std::unique_ptr<ReferencedRisk> risk(const TrainingSet& set, const TrainOptions& options) const = 0;

  /// Where the rounds of a bound may begin; the first unless validation data or the objective decides.
  virtual std::vector<Start> starts(Bound) const { return {Start::ridge}; }
  /// Whether a weighted sum of weights makes lists as the scores' sum would: then rankers can be averaged, and cheap
  /// rankers can be cells of tuning.
  virtual bool sorts() const { return false; }
  /// In options.solve.seconds, and until `stop` says so.
  virtual std::vector<double> start(const TrainingSet& set, const TrainOptions& options, Start start,
                                    const StopAsked& stop) const = 0;
  /// Equal for options whose start is the same on a training set.
  virtual std::string start_key(const TrainOptions& options, Start start) const = 0;

  /// How good the lists by weights `w` are, by options.measure; `scorer` is of this data.
  virtual MeasureResult judge(const Scorer& scorer, const std::vector<double>& w,
                              const TrainOptions& options) const = 0;

 private:
  Dataset data_;
};

/// The same, solved by `lbfgs` where a device is asked and no other solver is.
TrainOptions for_device(TrainOptions options);

/// Throws Error(unsupported) where `what`, e.g. "lists of positions are", would be learnt on another device.
void require_cpu(const TrainOptions& options, std::string_view what);

/// Where the rounds of a bound on sorted rankings may begin.
std::vector<Start> ranking_starts(Bound bound);

/// Throws Error(bad_option) for ties by a feature when none of the bounds is `given`, the one that has them.
void require_given(const TrainOptions& options, std::span<const BoundChoice> bounds);

/// The starts that options leave: the one they name, else all of the task's.
std::vector<Start> starts_of(const Task& task, const TrainOptions& options, Bound bound);

/// Rankings by sorting, perhaps with limits on groups.
class RankingTask final : public Task {
 public:
  using Task::Task;

  std::unique_ptr<const Task> select(const std::vector<std::size_t>& queries) const override;
  std::string measure_name(const TrainOptions& options) const override;
  std::unique_ptr<ReferencedRisk> risk(const TrainingSet& set, const TrainOptions& options) const override;
  std::vector<Start> starts(Bound bound) const override { return ranking_starts(bound); }
  std::vector<double> start(const TrainingSet& set, const TrainOptions& options, Start start,
                            const StopAsked& stop) const override;
  std::string start_key(const TrainOptions&, Start start) const override { return std::string(name_of(start)); }
  bool sorts() const override { return true; }
  MeasureResult judge(const Scorer& scorer, const std::vector<double>& w, const TrainOptions& options) const override;
};

}  // namespace dorm

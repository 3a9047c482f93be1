// SPDX-License-Identifier: Apache-2.0
// What is learnt from a data set: rankings by sorting, or slates, which are lists that no sort finds.
#pragma once

#include <cstddef>
#include <memory>

#include "dorm/data/judgments.h"
#include "dorm/dataset.h"
#include "dorm/learning/assignment.h"

namespace dorm {

class LearningTask;  // src/learning/train/learning_task.h

/// A data set and the kind of its lists. Cheap to copy: the data is shared.
class Task {
 public:
  /// No data: no validation.
  Task() = default;
  /// Rankings by sorting, perhaps with limits on groups (TrainOptions::one_per).
  Task(const Dataset& data);  // NOLINT(google-explicit-constructor): a data set is the usual task
  /// Slates in which a document gains by its position (docs/positions.md). The ranker has a function for each position
  /// beside a shared one, or `one_function`. Throws Error(bad_input) for gains that do not fit the data.
  static Task positions(const Dataset& data, PositionGains gains, bool one_function = false);
  /// Slates of the first n positions that keep topic budgets. Throws Error(bad_input) for topics that do not fit the
  /// data.
  static Task topics(const Dataset& data, TopicTable topics, std::size_t positions, const TopicOptions& options = {});

  explicit operator bool() const { return task_ != nullptr; }
  /// For the library; these throw Error(bad_input) without data.
  const Dataset& data() const;
  const LearningTask& learning() const;

 private:
  explicit Task(std::shared_ptr<const LearningTask> task);

  std::shared_ptr<const LearningTask> task_;
};

}  // namespace dorm

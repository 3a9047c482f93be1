// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/task.h"

#include <fmt/format.h>

#include <utility>

#include "dorm/error.h"
#include "learning/train/slate_task.h"

namespace dorm {

Task::Task(const Dataset& data) : task_(std::make_shared<RankingTask>(data)) {}

Task::Task(std::shared_ptr<const LearningTask> task) : task_(std::move(task)) {}

Task Task::positions(const Dataset& data, PositionGains gains, bool one_function) {
  return Task(std::make_shared<PositionTask>(data, std::move(gains), one_function));
}

Task Task::topics(const Dataset& data, TopicTable topics, std::size_t positions, const TopicOptions& options) {
  return Task(std::make_shared<TopicTask>(data, std::move(topics), positions, options));
}

const LearningTask& Task::learning() const {
  if (!task_) throw Error(ErrorCode::bad_input, "there is no data to learn from");
  return *task_;
}

const Dataset& Task::data() const { return learning().data(); }

const LearningTask* validation_of(const LearningTask& task, const Task& validation) {
  if (!validation) return nullptr;
  if (const LearningTask& held_out = validation.learning(); held_out.kind() == task.kind()) return &held_out;
  throw Error(ErrorCode::bad_input, fmt::format("the training data is a task of {}, the validation data one of {}",
                                                task.kind(), validation.learning().kind()));
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Training where lists are found by assignment or under topic budgets.
#include <fmt/format.h>

#include "dorm/error.h"
#include "learning/train/list_task.h"
#include "learning/train/task_problem.h"
#include "learning/train/training.h"

namespace dorm {
namespace {

// Rounds begin at ridge regression on the gains: no other start knows positions or topics.
void check_list_options(const TrainOptions& options) {
  if (options.start && options.start != Start::ridge)
    throw Error(ErrorCode::unsupported,
                fmt::format("the start {} is not used for lists; expected ridge", name_of(*options.start)));
  if (options.initial) throw Error(ErrorCode::unsupported, "lists cannot begin at an earlier model; expected none");
  if (!options.given_ties.empty())
    throw Error(ErrorCode::unsupported, "ties by a feature are those of rankings by sorting; expected none for lists");
  require_no_target(options);
  if (!options.one_per.empty())
    throw Error(ErrorCode::unsupported, "limits on groups are not kept by lists of positions or topics; expected none");
}

}  // namespace

PositionResult train_positions(const Dataset& data, const PositionGains& gains, const TrainOptions& options,
                               bool one_function, const JudgedPositions* validation, const TrainObserver& observer) {
  check_list_options(options);
  const PositionTask task(data, gains, one_function);
  std::optional<PositionTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->gains, one_function);
  const auto problem = [&] { return std::make_unique<TaskProblem>(task, options, held_out ? &*held_out : nullptr); };
  Training training(options, problem, observer);
  training.run();
  const auto described = [&](const std::vector<double>& w) { return training.model(w); };
  return {task.model(training.weights(), options, described), training.report()};
}

// NOLINTNEXTLINE(readability-function-size): what is learnt (3), how (2), what is told (2), what it is judged by
TrainResult train_topics(const Dataset& data, const TopicTable& topics, std::size_t positions,
                         const TrainOptions& options, const TopicOptions& topic_options, TopicReport* report,
                         const JudgedTopics* validation, const TrainObserver& observer) {
  check_list_options(options);
  const TopicTask task(data, topics, positions, topic_options);
  std::optional<TopicTask> held_out;
  if (validation) held_out.emplace(validation->data, validation->topics, positions, topic_options);
  const auto problem = [&] { return std::make_unique<TaskProblem>(task, options, held_out ? &*held_out : nullptr); };
  Training training(options, problem, observer);
  training.run();
  if (report) {
    const auto& risk = dynamic_cast<const PositionRisk&>(training.risk());
    *report = {risk.lists(), risk.unproven(), risk.largest_gap()};
  }
  return {training.model(training.weights()), training.report()};
}

}  // namespace dorm

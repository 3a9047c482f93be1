// SPDX-License-Identifier: Apache-2.0
#include "learning/train/slate_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "learning/risk/ridge.h"
#include "model/position_ranking.h"

namespace dorm {
namespace {

void check_gains(const Dataset& data, const PositionGains& gains) {
  if (gains.positions == 0 || gains.gain.size() != data.num_documents() * gains.positions)
    throw Error(ErrorCode::bad_input,
                fmt::format("{} gains for {} documents and {} positions; expected one per document and position",
                            gains.gain.size(), data.num_documents(), gains.positions));
  for (const double x : gains.gain)
    if (!std::isfinite(x)) throw Error(ErrorCode::bad_input, "a gain by position is not finite");
}

std::string checksum_text(std::span<const double> numbers) {
  return fmt::format("{:016x}", checksum(std::as_bytes(numbers)));
}

// The measure's a and the decay's c do not depend on the labels; any query will do.
std::vector<double> decay_of_measure(const FactoredMeasure& measure, const std::string& decay, std::size_t positions) {
  std::vector<float> labels(positions + 1, 0.0f);
  labels[0] = 1;
  std::vector<double> c = Decay(decay).values(measure.factor(labels).a);
  c.resize(positions);
  return c;
}

}  // namespace

// Rounds begin at ridge regression on the gains: no other initial model knows positions or topics.
void SlateTask::check(const TrainOptions& options, std::span<const BoundChoice>) const {
  if (options.start && options.start != InitialModel::ridge)
    throw Error(ErrorCode::unsupported,
                fmt::format("the initial model {} is not used for slates; expected ridge", name_of(*options.start)));
  if (options.initial) throw Error(ErrorCode::unsupported, "slates cannot begin at an earlier model; expected none");
  if (!options.given_ties.empty())
    throw Error(ErrorCode::unsupported, "ties by a feature belong to rankings by sorting; expected none for slates");
  if (wants_curves(options.curves))
    throw Error(ErrorCode::unsupported, "slates of positions or topics are learnt without curves; expected none");
  if (options.signs.used())
    throw Error(ErrorCode::unsupported, "slates of positions or topics are learnt without signs; expected none");
  require_cpu(options, "slates of positions or topics are");
  if (!options.target.empty())
    throw Error(ErrorCode::unsupported,
                fmt::format("slates of positions or topics are found by an assignment, which no other tool does; the "
                            "target is {}, expected none",
                            options.target));
  if (!options.one_per.empty())
    throw Error(ErrorCode::unsupported,
                "slates of positions or topics do not keep limits on groups; expected no such limits");
}

std::unique_ptr<ReferencedRisk> SlateTask::risk(const TrainingSet& set, const TrainOptions& options) const {
  std::vector<double> storage;
  return std::make_unique<PositionRisk>(set.linear_features(), problem(options, storage), options.compute.threads);
}

std::vector<double> SlateTask::start(const TrainingSet& set, const TrainOptions& options, InitialModel,
                                     const StopAsked& stop) const {
  std::vector<double> storage;
  const PositionProblem lists = problem(options, storage);
  const std::size_t d = set.features().dimension(), n = lists.positions;
  std::vector<double> w, targets(lists.gains.size() / n);
  const TimeLimit limit(options.solve.seconds);
  const auto fitted = [&] {
    return ridge(set.features(), targets, TrainingSet::kDefaultLambda, set.threads(),
                 [&] { return limit.over() || (stop && stop()); });
  };
  if (!lists.per_position) {
    for (std::size_t i = 0; i < targets.size(); ++i)
      for (std::size_t j = 0; j < n; ++j) targets[i] += lists.decay[j] * lists.gains[i * n + j];
    return fitted();
  }
  w.assign(d, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = lists.gains[i * n + j];
    const std::vector<double> part = fitted();
    w.insert(w.end(), part.begin(), part.end());
  }
  return w;
}

// ---- every position on its own -----------------------------------------------------------------------------------

PositionTask::PositionTask(const Dataset& data, PositionGains gains, bool one_function)
    : SlateTask(data), gains_(std::move(gains)), one_function_(one_function) {
  check_gains(data, gains_);
}

std::unique_ptr<const LearningTask> PositionTask::select(const std::vector<std::size_t>& queries) const {
  PositionGains some{gains_.positions, {}};
  for (const std::size_t q : queries) {
    const auto first = gains_.gain.begin() + static_cast<std::ptrdiff_t>(data().first_document(q) * gains_.positions);
    some.gain.insert(some.gain.end(), first,
                     first + static_cast<std::ptrdiff_t>(data().query(q).size() * gains_.positions));
  }
  return std::make_unique<PositionTask>(data().select(queries), std::move(some), one_function_);
}

std::string PositionTask::measure_name(const TrainOptions&) const {
  return fmt::format("position-gain@{}", gains_.positions);
}

std::string PositionTask::identity() const {
  return fmt::format("positions={} one_function={} gains={}", gains_.positions, one_function_,
                     checksum_text(gains_.gain));
}

std::vector<double> PositionTask::decay(const TrainOptions& options) const {
  std::vector<double> a;
  for (std::size_t j = 0; j < gains_.positions; ++j) a.push_back(1 / std::log2(static_cast<double>(j) + 2));
  return Decay(options.decay).values(a);
}

std::vector<std::vector<double>> PositionTask::parts(const std::vector<double>& w) const {
  const std::size_t count = functions(), d = w.size() / count;
  std::vector<std::vector<double>> parts;
  for (std::size_t k = 0; k < count; ++k) {
    const auto begin = w.begin() + static_cast<std::ptrdiff_t>(k * d);
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(d));
  }
  return parts;
}

LearningTask::Learnt PositionTask::learnt(const std::vector<double>& w, const TrainOptions& options,
                                          const Describe& describe) const {
  std::vector<std::vector<double>> each = parts(w);
  PositionModel model;
  model.shared = describe(each.front());
  model.decay = decay(options);
  each.erase(each.begin());
  model.blocks = std::move(each);
  Model shared = model.shared;
  return {std::move(shared), std::move(model)};
}

PositionProblem PositionTask::problem(const TrainOptions& options, std::vector<double>&) const {
  return {gains_.positions, gains_.gain, decay(options), !one_function_};
}

MeasureResult PositionTask::validate(const Scorer& scorer, const std::vector<double>& w,
                                     const TrainOptions& options) const {
  const std::size_t threads = options.compute.threads;
  std::vector<std::vector<double>> scores;
  for (const std::vector<double>& part : parts(w)) scores.push_back(scorer.scores(part, threads));
  const std::vector<double> shared = std::move(scores.front());
  scores.erase(scores.begin());
  return evaluate_positions(data(), gains_, rank_by_position(data(), shared, scores, decay(options), threads),
                            {.convention = options.convention, .bootstrap = 0, .threads = threads});
}

// ---- topic budgets -----------------------------------------------------------------------------------------------

TopicTask::TopicTask(const Dataset& data, TopicTable topics, std::size_t positions, const TopicOptions& topic_options)
    : SlateTask(data), topics_(std::move(topics)), positions_(positions), topic_options_(topic_options) {
  topic_options.validate();
  dorm::validate(topics_);
  if (positions == 0 || topics_.num_documents() != data.num_documents())
    throw Error(ErrorCode::bad_input,
                fmt::format("topics of {} documents for data of {} and lists of {}; expected one entry per document "
                            "and lists of at least 1",
                            topics_.num_documents(), data.num_documents(), positions));
}

std::unique_ptr<const LearningTask> TopicTask::select(const std::vector<std::size_t>& queries) const {
  TopicTable some{topics_.names, topics_.limits, {0}, {}};
  for (const std::size_t q : queries)
    for (std::size_t i = 0, d = data().first_document(q); i < data().query(q).size(); ++i, ++d) {
      some.shares.insert(some.shares.end(), topics_.shares.begin() + static_cast<std::ptrdiff_t>(topics_.first[d]),
                         topics_.shares.begin() + static_cast<std::ptrdiff_t>(topics_.first[d + 1]));
      some.first.push_back(some.shares.size());
    }
  return std::make_unique<TopicTask>(data().select(queries), std::move(some), positions_, topic_options_);
}

std::string TopicTask::measure_name(const TrainOptions& options) const {
  return make_trainable(options.measure, make_convention(options.convention))->name();
}

std::string TopicTask::identity() const {
  std::vector<double> numbers = topics_.limits;
  numbers.insert(numbers.end(), topics_.first.begin(), topics_.first.end());
  for (const TopicShare& share : topics_.shares) {
    numbers.push_back(share.topic);
    numbers.push_back(share.weight);
  }
  return fmt::format("positions={} topics={}", positions_, checksum_text(numbers));
}

std::size_t TopicTask::threads(std::size_t asked) const { return topic_solver_in_threads() ? asked : 1; }

TopicReport TopicTask::topics(const ReferencedRisk& risk) const {
  const auto& slates = dynamic_cast<const PositionRisk&>(risk);
  return {slates.lists(), slates.unproven(), slates.largest_gap()};
}

PositionProblem TopicTask::problem(const TrainOptions& options, std::vector<double>& storage) const {
  const FactoredMeasurePtr measure = make_trainable(options.measure, make_convention(options.convention));
  for (std::size_t q = 0; q < data().num_queries(); ++q) {
    const std::vector<double> gains = gains_by_position(measure->factor(data().query(q).labels), positions_);
    storage.insert(storage.end(), gains.begin(), gains.end());
  }
  return {positions_, storage, decay_of_measure(*measure, options.decay, positions_), false, &topics_, topic_options_};
}

MeasureResult TopicTask::validate(const Scorer& scorer, const std::vector<double>& w,
                                  const TrainOptions& options) const {
  Model model;  // what rank_topics() reads of it
  model.measure = options.measure;
  model.convention = options.convention;
  model.decay = options.decay;
  const std::vector<Ranking> lists =
      rank_topics(model, data(), scorer.scores(w, 1), topics_, positions_, topic_options_);
  const std::vector<std::string> measures = {options.measure};
  return evaluate_topics(data(), lists, positions_, topics_, measures, topic_options_,
                         {.convention = options.convention, .bootstrap = 0})
      .measures[0];
}

}  // namespace dorm

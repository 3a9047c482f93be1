// SPDX-License-Identifier: Apache-2.0
#include "learning/train/learning_task.h"

#include <fmt/format.h>

#include <algorithm>

#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "learning/device/device_risk.h"
#include "learning/risk/ranking_risk.h"
#include "learning/risk/targets.h"

namespace dorm {

void require_given(const TrainOptions& options, std::span<const BoundChoice> bounds) {
  if (options.given_ties.empty() || std::find(bounds.begin(), bounds.end(), Bound::given) != bounds.end()) return;
  throw Error(ErrorCode::bad_option, fmt::format("ties by feature \"{}\" belong to the bound given, not to {}",
                                                 options.given_ties, name_of(bounds.front())));
}

void require_estimable(const Dataset& data, const TrainOptions& options) {
  if (!data.input().of_clicks() || options.own_measure) return;
  const NamedMeasure measure(options);
  if ((*measure).linear_in_labels()) return;
  throw Error(ErrorCode::bad_option,
              fmt::format("measure \"{}\": the labels are gains estimated from clicks, and its estimate is biased, "
                          "since it is no linear function of them; expected dcg@10:gain=linear, "
                          "precision@10:gain=linear, rbp:gain=linear, eru or avgrank",
                          measure.name()));
}

std::vector<InitialModel> starts_of(const LearningTask& task, const TrainOptions& options, Bound bound) {
  if (options.initial) return {InitialModel::model};
  return options.start ? std::vector{*options.start} : task.starts(bound);
}

void RankingTask::check(const TrainOptions& options, std::span<const BoundChoice> bounds) const {
  require_given(options, bounds);
  require_estimable(data(), options);
}

/// Measures that depend on one document, or on a count alone, teach little: a graded measure over the same positions is
/// trained for first, and kept where validation finds no difference.
std::vector<std::string> RankingTask::training_measures(const TrainOptions& options) const {
  const std::string& validated = options.measure;
  const FactoredMeasurePtr measure = make_trainable(validated, make_convention(options.convention));
  if (measure->linear_in_labels()) return {validated};
  const std::string name = measure->name();
  if (name.starts_with("mrr")) return {"ndcg@10", validated};
  if (name.starts_with("wta")) return {"mwta", validated};
  if (name.starts_with("precision@"))
    return {"ndcg" + name.substr(name.find('@'), name.find(':') - name.find('@')), validated};
  return {validated};
}

std::unique_ptr<const LearningTask> RankingTask::select(const std::vector<std::size_t>& queries) const {
  return std::make_unique<RankingTask>(data().select(queries));
}

std::string RankingTask::measure_name(const TrainOptions& options) const { return NamedMeasure(options).name(); }

std::unique_ptr<ReferencedRisk> RankingTask::risk(const TrainingSet& set, const TrainOptions& options) const {
  const Dataset& learnt = set.features().data();
  std::vector<GroupLimits> limits;
  if (!options.one_per.empty()) limits = group_limits(learnt, parse_one_per(options.one_per));
  std::vector<float> order;
  // The features as they are; an exact kernel has left out queries, of its features as they are scaled.
  if (!options.given_ties.empty())
    order = labels_by_feature(learnt.num_documents() == data().num_documents() ? data() : learnt, options.given_ties);
  const NamedMeasure measure(options);
  auto risk = std::make_unique<RankingRisk>(set.features(), *measure, Decay(options.decay), options.compute.threads,
                                            options.oracle, std::move(limits), std::move(order));
  require_lists(risk->num_lists(), learnt.num_queries(), measure.name());
  if (set.device_rows() == nullptr) return risk;  // of an exact kernel a device makes values
  return std::make_unique<DeviceRisk>(std::move(risk), *set.device_rows(), options.shards, options.compute.threads);
}

std::vector<InitialModel> ranking_starts(Bound bound) {
  if (bound == Bound::predicted) return {InitialModel::ridge, InitialModel::pairwise};
  return {InitialModel::ridge};
}

std::vector<double> RankingTask::start(const TrainingSet& set, const TrainOptions& options, InitialModel start,
                                       const StopAsked& stop) const {
  return set.fit({.kind = start, .convention = options.convention, .seconds = options.solve.seconds, .stop = stop}).w;
}

MeasureResult RankingTask::validate(const Scorer& scorer, const std::vector<double>& w,
                                    const TrainOptions& options) const {
  const NamedMeasure named(options);
  const Measure* const measure = &*named;
  const EvaluateOptions evaluation{
      .convention = options.convention, .one_per = options.one_per, .bootstrap = 0, .threads = options.compute.threads};
  return evaluate(data(), scorer.scores(w, options.compute.threads), std::span(&measure, 1), evaluation).measures[0];
}

}  // namespace dorm

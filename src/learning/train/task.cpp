// SPDX-License-Identifier: Apache-2.0
#include "learning/train/task.h"

#include "dorm/one_per.h"
#include "learning/risk/ranking_risk.h"

namespace dorm {
std::vector<Start> starts_of(const Task& task, const TrainOptions& options, Bound bound) {
  if (options.initial) return {Start::model};
  return options.start ? std::vector{*options.start} : task.starts(bound);
}

std::unique_ptr<const Task> RankingTask::select(const std::vector<std::size_t>& queries) const {
  return std::make_unique<RankingTask>(data().select(queries));
}

std::string RankingTask::measure_name(const TrainOptions& options) const { return NamedMeasure(options).name(); }

std::unique_ptr<ReferencedRisk> RankingTask::risk(const TrainingSet& set, const TrainOptions& options) const {
  const Dataset& learnt = set.features().data();
  std::vector<GroupLimits> limits;
  if (!options.one_per.empty()) limits = group_limits(learnt, parse_one_per(options.one_per));
  return std::make_unique<RankingRisk>(set.features(), *NamedMeasure(options), Decay(options.decay),
                                       options.solve.threads, options.oracle, std::move(limits));
}

std::vector<Start> RankingTask::starts(Bound bound) const {
  if (bound == Bound::predicted) return {Start::ridge, Start::pairwise};
  return {Start::ridge};
}

std::vector<double> RankingTask::start(const TrainingSet& set, const TrainOptions& options, Start start) const {
  return set.fit({.kind = start, .convention = options.convention, .seconds = options.solve.seconds}).w;
}

MeasureResult RankingTask::judge(const Scorer& scorer, const std::vector<double>& w,
                                 const TrainOptions& options) const {
  const NamedMeasure named(options);
  const Measure* const measure = &*named;
  const EvaluateOptions evaluation{
      .convention = options.convention, .one_per = options.one_per, .bootstrap = 0, .threads = options.solve.threads};
  return evaluate(data(), scorer.scores(w, options.solve.threads), std::span(&measure, 1), evaluation).measures[0];
}

}  // namespace dorm

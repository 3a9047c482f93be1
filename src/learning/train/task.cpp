// SPDX-License-Identifier: Apache-2.0
#include "learning/train/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dorm/error.h"
#include "dorm/one_per.h"
#include "learning/risk/ranking_risk.h"

namespace dorm {
namespace {

std::size_t column_named(const Dataset& data, const std::string& feature) {
  for (std::size_t j = 0; j < data.num_features(); ++j)
    if (data.feature_name(j) == feature) return j;
  throw Error(
      ErrorCode::unknown_name,
      fmt::format("ties by feature \"{}\": the data has no such feature; expected one of its {}, {} to {}", feature,
                  data.num_features(), data.feature_name(0), data.feature_name(data.num_features() - 1)));
}

// Labels that sort documents by label, then by the feature, largest first, then in file order: no two of a
// query are equal.
std::vector<float> labels_by_feature(const Dataset& data, const std::string& feature) {
  const std::size_t column = column_named(data, feature);
  std::vector<float> strict(data.num_documents());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<std::size_t> order(query.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
      if (query.labels[x] != query.labels[y]) return query.labels[x] > query.labels[y];
      return query.rows.at(x, column) > query.rows.at(y, column);
    });
    for (std::size_t j = 0; j < order.size(); ++j)
      strict[query.first_document + order[j]] = static_cast<float>(order.size() - j);
  }
  return strict;
}

}  // namespace

void require_given(const TrainOptions& options, std::span<const BoundChoice> bounds) {
  if (options.given_ties.empty() || std::find(bounds.begin(), bounds.end(), Bound::given) != bounds.end()) return;
  throw Error(ErrorCode::bad_option, fmt::format("ties by feature \"{}\" are those of the bound given, not of {}",
                                                 options.given_ties, name_of(bounds.front())));
}

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
  std::vector<float> order;
  // The features as they are; an exact kernel has left out queries, of its features as they are scaled.
  if (!options.given_ties.empty())
    order = labels_by_feature(learnt.num_documents() == data().num_documents() ? data() : learnt, options.given_ties);
  return std::make_unique<RankingRisk>(set.features(), *NamedMeasure(options), Decay(options.decay),
                                       options.solve.threads, options.oracle, std::move(limits), std::move(order));
}

std::vector<Start> RankingTask::starts(Bound bound) const {
  if (bound == Bound::predicted) return {Start::ridge, Start::pairwise};
  return {Start::ridge};
}

std::vector<double> RankingTask::start(const TrainingSet& set, const TrainOptions& options, Start start,
                                       const StopAsked& stop) const {
  return set.fit({.kind = start, .convention = options.convention, .seconds = options.solve.seconds, .stop = stop}).w;
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

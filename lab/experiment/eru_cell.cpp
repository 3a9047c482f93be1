// SPDX-License-Identifier: Apache-2.0
#include "lab/experiment/eru_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stopwatch.h"
#include "dorm/evaluate.h"
#include "dorm/lab/collaborative.h"
#include "dorm/recommend/joint.h"

namespace dorm {
namespace {

const std::array<std::string, 2> kMeasures = {"neru:half_life=5,neutral=3", "ndcg@10"};
constexpr double kTolerance = 1e-2;  // a tenth of it changed ERU by less than 0.001

JointKernel kernel_of(EruKernels kernels, const Ratings& known, const MovieData& data) {
  if (kernels == EruKernels::everything) return make_joint_kernel(known, &data.user_features, &data.item_features);
  const bool first = kernels == EruKernels::demographics_and_ratings;
  const std::array users = {
      identity_similarities(known.num_users()),
      first ? attribute_similarities(known.users(), data.user_features) : user_correlations(known)};
  const std::array items = {
      identity_similarities(known.num_items()),
      first ? item_correlations(known) : attribute_similarities(known.items(), data.item_features)};
  return {mean_of(users), mean_of(items)};
}

std::vector<double> chance(const EruTrial& trial, const JointKernel&, double) {
  return std::vector<double>(trial.test.size(), 0.0);  // ties count as in random order
}

std::vector<double> item_mean(const EruTrial& trial, const JointKernel&, double damping) {
  return collaborative_scores(fmt::format("item-mean:{}", damping), trial.known, trial.test, {}, {.threads = 1});
}

std::vector<double> squared_loss(const EruTrial& trial, const JointKernel& kernel, double lambda) {
  return joint_scores(kernel, train_joint_ridge(kernel, trial.train, lambda), trial.test, 1);
}

std::vector<double> prank(const EruTrial& trial, const JointKernel& kernel, double passes) {
  const PerceptronOptions options{.passes = static_cast<std::size_t>(passes)};
  return prank_scores(kernel.items, train_prank(kernel.items, trial.own, options), trial.test);
}

std::vector<double> jrank(const EruTrial& trial, const JointKernel& kernel, double passes) {
  const PerceptronOptions options{.passes = static_cast<std::size_t>(passes)};
  return joint_scores(kernel, train_jrank(kernel, trial.train, options), trial.test, 1);
}

template <std::size_t kMeasure>
std::vector<double> dorm_for(const EruTrial& trial, const JointKernel& kernel, double C) {
  const JointOptions options{
      .measure = kMeasures[kMeasure], .bound = Bound::average, .C = C, .solve = {.tolerance = kTolerance}};
  return joint_scores(kernel, train_joint(kernel, trial.train, options).ranker, trial.test, 1);
}

struct Learner {
  EruLearner shown;
  std::size_t measure;  // that its parameter is chosen by
  std::vector<double> (*scores)(const EruTrial&, const JointKernel&, double parameter);
};

std::vector<Learner> learners() {
  const std::vector<double> passes = {1, 2, 5, 10, 20}, C = {0.01, 0.1, 1, 10, 30};
  return {{{"random", {0}}, 0, chance},
          {{"item mean", {1, 5, 20}}, 0, item_mean},
          {{"squared loss", {1e-4, 1e-3, 1e-2, 1e-1}}, 0, squared_loss},
          {{"PRank", passes}, 0, prank},
          {{"JRank", passes}, 0, jrank},
          {{"DORM (ERU)", C}, 0, dorm_for<0>},
          {{"DORM (NDCG@10)", C}, 1, dorm_for<1>}};
}

/// By measure, then user.
std::vector<std::vector<double>> judge(const Ratings& test, const std::vector<double>& scores) {
  const EvaluationTable table = evaluate(test, scores, kMeasures, {.bootstrap = 0, .threads = 1});
  std::vector<std::vector<double>> values;
  for (const MeasureResult& result : table.measures) {
    values.emplace_back(test.num_users(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t row = 0; row < table.query_ids.size(); ++row)
      values.back()[*test.users().find(table.query_ids[row])] = result.per_query[row];
  }
  return values;
}

}  // namespace

bool record_fits(const CellRecord& record, std::size_t users) {
  const std::vector<Learner> known = learners();
  if (record.valid.size() != known.size()) return false;
  std::vector<std::string> measures;
  for (std::size_t l = 0; l < known.size(); ++l) {
    const std::span chosen_by(&kMeasures[known[l].measure], 1);
    for (const double value : record.valid[l])
      if (!values_fit({{value}}, chosen_by, "standard", 1)) return false;
    if (record.valid[l].size() != known[l].shown.grid.size()) return false;
    measures.insert(measures.end(), kMeasures.begin(), kMeasures.end());
  }
  return values_fit(record.test, measures, "standard", users);
}

std::vector<EruLearner> eru_learners() {
  std::vector<EruLearner> shown;
  for (Learner& learner : learners()) shown.push_back(std::move(learner.shown));
  return shown;
}

std::span<const std::string> eru_measures() { return kMeasures; }

double mean_of_numbers(std::span<const double> values) {
  double sum = 0, count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return sum / count;
}

std::string key_of(const EruCell& cell, std::uint64_t seed) {
  return fmt::format("eachmovie-eru; {}; unseen {} kernels {} trial {} seed {}", build_identity(),
                     cell.unseen == Unseen::users ? "users" : "items", static_cast<int>(cell.kernels), cell.trial,
                     seed);
}

std::optional<CellRecord> run_eru_cell(const EruCell& cell, const MovieData& data, std::uint64_t seed,
                                       const std::function<bool()>& wanted) {
  const Stopwatch watch;
  CellRecord record;
  const std::uint64_t trial_seed = seed * 1000 + cell.trial;
  const EruTrial trial = draw_trial(data.ratings, cell.unseen, kEruUsers, kEruItems, trial_seed);
  const EruTrial held = validation_of(trial, cell.unseen, trial_seed);
  const JointKernel kernel = kernel_of(cell.kernels, trial.known, data);
  const JointKernel held_kernel = kernel_of(cell.kernels, held.known, data);
  for (const Learner& learner : learners()) {
    std::vector<double>& valid = record.valid.emplace_back();
    for (const double parameter : learner.shown.grid) {
      if (!wanted()) return std::nullopt;
      const auto values = judge(held.test, learner.scores(held, held_kernel, parameter));
      valid.push_back(mean_of_numbers(values[learner.measure]));
    }
    const auto best = std::max_element(valid.begin(), valid.end()) - valid.begin();
    const double chosen = learner.shown.grid[static_cast<std::size_t>(best)];
    for (auto& values : judge(trial.test, learner.scores(trial, kernel, chosen)))
      record.test.push_back(std::move(values));
  }
  record.seconds = watch.seconds();
  return record;
}

}  // namespace dorm

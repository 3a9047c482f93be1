// SPDX-License-Identifier: Apache-2.0
#include "learning/train/sharded_problem.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "data/scale/column_statistics.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "evaluation/summarise.h"
#include "learning/risk/ranking_risk.h"
#include "learning/risk/ridge.h"
#include "learning/train/initial.h"
#include "learning/train/learning_task.h"

namespace dorm {
namespace {

constexpr std::size_t kProductBytes = std::size_t{1} << 26;

const TrainOptions& shareable(const TrainOptions& options, bool has_validation) {
  require_judge(options, has_validation);
  require_cpu(options, "shards are");
  if (options.own_measure)
    throw Error(ErrorCode::unsupported, "a measure of the caller's own cannot be sent to shards; expected one by name");
  if (KernelOptions(options).used())
    throw Error(ErrorCode::unsupported, "kernels are not learnt from shards; expected none");
  if (!works_on_shards(options.solve.solver))
    throw Error(ErrorCode::bad_option, fmt::format("the solver {} does not work on shards; expected shards or lbfgs",
                                                   solver_name(options.solve.solver)));
  return options;
}

// From rows that begin at their diagonals.
CentredProducts unpacked(std::span<const double> packed, std::size_t size) {
  CentredProducts products{size, size + 1, std::vector<double>(size * (size + 1), 0.0)};
  if (packed.size() != size * (size + 3) / 2)
    throw Error(ErrorCode::bad_input, "shards have answered with products of another size");
  for (std::size_t k = 0, at = 0; k < size; ++k)
    for (std::size_t j = k; j <= size; ++j) products.upper[k * products.width + j] = packed[at++];
  return products;
}

}  // namespace

bool works_on_shards(SolverKind solver) { return solver == parse_solver("shards") || solver == parse_solver("lbfgs"); }

ShardedProblem::ShardedProblem(const ShardTransport& ask, const TrainOptions& options, const ShardTransport& validation)
    : options_(shareable(options, static_cast<bool>(validation))), workers_(ask) {
  if (validation) {
    validation_.emplace(validation);
    if (validation_->description().features != workers_.description().features)
      throw Error(ErrorCode::bad_input, "training and validation shards have other features; expected the same names");
  }
  scaling_ = settle_scaling();
  setup_ = ShardSetup{.measure = options.measure,
                      .convention = options.convention,
                      .decay = options.decay,
                      .one_per = options.one_per,
                      .given_ties = options.given_ties,
                      .scaling = scaling_}
               .text();
  signs_ = signs_of(options.signs, workers_.description().features);
  risk_ = std::make_unique<ShardedRisk>(workers_, setup_, signs_);
  require_lists(risk_->num_lists(), workers_.description().data.queries, measure_name());
  const double norm = risk_->centred_squares() / static_cast<double>(workers_.description().data.documents);
  squared_scale_ = squared_scale_of(norm);
}

Scaling ShardedProblem::settle_scaling() const {
  Scaling scaling;
  scaling.kind = ScalingChoice(options_.scale, options_.target).settle([this] { return workers_.unit_range(); });
  if (scaling.kind == ScalingKind::none || scaling.per_query()) return scaling;
  const bool logarithm = takes_logarithm(scaling.kind);
  ColumnStatistics statistics(workers_.description().features.size(), logarithm);
  for (const ShardResponse& response : workers_.ask({.topic = Topic::statistics, .logarithm = logarithm}))
    statistics.add(std::span<const double>(response.numbers));
  statistics.scale(uses_range(scaling.kind), scaling.shift, scaling.factor);
  return scaling;
}

DataSummary ShardedProblem::summary() const {
  DataSummary summary = workers_.description().data;
  summary.usable_queries = risk_->num_lists();
  return summary;
}

std::string ShardedProblem::measure_name() const { return NamedMeasure(options_).name(); }

std::string ShardedProblem::identity() const { return fmt::format("{} shards", workers_.size()); }

std::vector<InitialModel> ShardedProblem::starts(Bound bound) const {
  if (options_.initial) return {InitialModel::model};
  return options_.start ? std::vector{*options_.start} : ranking_starts(bound);
}

ShardRequest ShardedProblem::about(Topic topic, bool gains) const {
  return {.topic = topic, .gains = gains, .step = start_step(), .first = workers_.number(0), .setup = setup_};
}

// Shards enough for the documents that starts are computed from, but no more than whose products are small.
std::size_t ShardedProblem::start_step() const {
  const std::size_t size = workers_.description().features.size(), bytes = size * (size + 3) / 2 * sizeof(double);
  return std::max(TrainingSet::start_step(workers_.description().data.documents),
                  (workers_.size() * std::min(bytes, kProductBytes) + kProductBytes - 1) / kProductBytes);
}

std::vector<double> ShardedProblem::start(InitialModel start, double seconds) const {
  const TimeLimit limit(seconds);
  const bool gains = start == InitialModel::ridge_gain || start == InitialModel::pairwise_gain;
  if (start == InitialModel::model)
    return initial_weights(*options_.initial, model(std::vector(workers_.description().features.size(), 0.0)));
  if (start == InitialModel::ridge || start == InitialModel::ridge_gain)
    return ridge_start(gains, [&] { return limit.over(); });
  return pairwise_start(gains, limit.left());
}

std::vector<double> ShardedProblem::ridge_start(bool gains, const StopAsked& over) const {
  const std::array lambdas = {TrainingSet::kDefaultLambda};
  const std::size_t size = workers_.description().features.size();
  if (const std::vector<double> packed = workers_.sum(about(Topic::products, gains)); !packed.empty()) {
    std::vector<std::vector<double>> path = ridge_path(unpacked(packed, size), lambdas, signs_);
    if (!path.empty()) return std::move(path.front());
  }
  std::vector<double> targets = workers_.sum(about(Topic::targets, gains));
  if (targets.size() != size + 1) throw Error(ErrorCode::bad_input, "shards have answered with other targets");
  const double squares = targets.back();
  targets.pop_back();
  const NormalEquations equations{risk_->geometry(), squares, std::move(targets), [&](std::span<const double> v) {
                                    ShardRequest request = about(Topic::normal);
                                    request.w.assign(v.begin(), v.end());
                                    return workers_.sum(request);
                                  }};
  return std::move(ridge_path(equations, lambdas, over).front());
}

std::vector<double> ShardedProblem::pairwise_start(bool gains, double seconds) const {
  ShardedPairs pairs(workers_, about(Topic::pairs, gains), signs_);
  if (pairs.num_lists() == 0) return std::vector<double>(pairs.dimension(), 0.0);
  pairs.set_trade_off(UnitsOfC(squared_scale_).trade_off(TrainingSet::kPairwiseC, pairs.num_lists()));
  const SolveOptions solving{
      .solver = options_.solve.solver, .tolerance = InitialModelOptions{}.tolerance, .seconds = seconds};
  return solve(pairs, solving, {}, {}, {.threads = options_.compute.threads}).w;
}

double ShardedProblem::spread(std::span<const double> w) const {
  ShardRequest request = about(Topic::scatter);
  request.w.assign(w.begin(), w.end());
  return std::sqrt(workers_.sum(request).at(0) / static_cast<double>(workers_.description().data.documents));
}

MeasureResult ShardedProblem::validate(const std::vector<double>& w) const {
  ShardRequest request = about(Topic::judge);
  request.w = w;
  EvaluationTable table;
  MeasureResult& result = table.measures.emplace_back();
  result.name = measure_name();
  std::vector<double> weights;
  for (const ShardResponse& response : validation_->ask(request, false))
    for (std::size_t k = 0; k + 1 < response.numbers.size(); k += 2) {
      result.per_query.push_back(response.numbers[k]);
      weights.push_back(response.numbers[k + 1]);
    }
  summarise(table, weights, {.convention = options_.convention, .one_per = options_.one_per, .bootstrap = 0});
  return std::move(table.measures[0]);
}

Model ShardedProblem::model(const std::vector<double>& w) const {
  Model model;
  model.features = workers_.description().features;
  model.scaling = scaling_;
  model.data = workers_.description().data;
  model.weights = w;
  model.signs = signs_;
  return model;
}

}  // namespace dorm

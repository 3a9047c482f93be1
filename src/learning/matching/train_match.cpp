// SPDX-License-Identifier: Apache-2.0
// Learning the weights of a match model: rounds of one convex problem each, with a tighter separation every time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "learning/matching/match_risk.h"
#include "learning/solver/status.h"

namespace dorm {
namespace {

constexpr double kLeastFall = 1e-3;  // of the objective: less is not worth another round

void require_truth(const GraphSet& set, std::span<const GraphPair> pairs, bool unmatched) {
  if (pairs.empty()) throw Error(ErrorCode::bad_input, "no pairs of graphs to learn from");
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const GraphPair& pair = pairs[p];
    if (pair.match.empty()) throw Error(ErrorCode::bad_input, fmt::format("pair {} has no true partners", p + 1));
    const auto without = static_cast<std::size_t>(std::count(pair.match.begin(), pair.match.end(), kUnmatched));
    const std::size_t partners = pair.match.size() - without;
    const std::size_t smaller = std::min(set.graphs[pair.first].size(), set.graphs[pair.second].size());
    if (partners == 0) throw Error(ErrorCode::bad_input, fmt::format("pair {}: no node has a true partner", p + 1));
    if (!unmatched && partners != smaller)
      throw Error(ErrorCode::bad_input,
                  fmt::format("pair {}: {} of the {} nodes of the smaller graph have a true partner; expected all, or "
                              "the option that nodes may stay unmatched",
                              p + 1, partners, smaller));
  }
}

/// What a model is before it has weights.
MatchModel blank_model(const GraphSet& set, std::span<const GraphPair> pairs, const MatchOptions& options) {
  MatchModel model;
  model.kind = options.kind;
  model.similarity = options.similarity;
  model.unmatched = options.unmatched;
  model.directed = set.directed;
  model.node_features = set.node_features;
  if (options.kind == MatchKind::quadratic) model.edge_features = set.edge_features;
  const bool scaled = options.scale == MatchScale::deviation;
  model.node_factors = scaled ? deviation_factors(set, pairs, false) : std::vector<double>(set.node_features.size(), 1);
  if (options.kind == MatchKind::quadratic)
    model.edge_factors =
        scaled ? deviation_factors(set, pairs, true) : std::vector<double>(set.edge_features.size(), 1);
  if (model.dimension() == 0)
    throw Error(ErrorCode::bad_input, "nodes without features; expected some, or edges to match by (kind quadratic)");
  return model;
}

/// Tightens every block; the mean of what was too much before.
double tighten_all(MatchRisk& risk, std::span<const double> w, const MatchOptions& options) {
  std::vector<double> excess(risk.num_blocks(), 0);
  parallel_for(excess.size(), options.solve.threads, [&](std::size_t block, std::size_t) {
    const MatchRisk::Separation found = risk.tighten(block, w, options.steps);
    excess[block] = std::max(0.0, found.before - found.found);
  });
  double sum = 0;
  for (const double each : excess) sum += each;
  return sum / static_cast<double>(excess.size());
}

double squared_norm(std::span<const double> w) {
  double sum = 0;
  for (const double each : w) sum += each * each;
  return sum;
}

void judge_on_training_pairs(const GraphSet& set, std::span<const GraphPair> pairs, const MatchOptions& options,
                             MatchModel& model) {
  const std::vector<PairOutcome> outcomes = predict_matches(model, set, pairs, options.steps, options.solve.threads);
  model.training_loss = mean_loss(outcomes);
  std::vector<char> below(pairs.size(), 0);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const PairFeatures features(model, set.graphs[pairs[p].first], set.graphs[pairs[p].second]);
    const double truth = match_value(features.shape(), features.scores(model.weights), pairs[p].match);
    model.below_truth += outcomes[p].score < truth - 1e-9 * (1 + std::abs(truth));
  }
}

}  // namespace

std::size_t MatchModel::dimension() const { return MatchLayout(*this).dimension(); }

std::vector<std::string> MatchModel::weight_names() const {
  std::vector<std::string> names = node_features;
  if (unmatched) names.emplace_back("matched");
  if (kind == MatchKind::quadratic) {
    names.emplace_back("edge");
    for (const std::string& name : edge_features) names.push_back(fmt::format("edge {}", name));
  }
  return names;
}

MatchModel unlearnt_match(const GraphSet& set, std::span<const GraphPair> pairs, const MatchOptions& options) {
  options.validate();
  set.validate();
  validate(set, pairs);
  MatchModel model = blank_model(set, pairs, options);
  const MatchLayout layout(model);
  model.weights.assign(layout.dimension(), 0);
  for (std::size_t k = 0; k < layout.nodes; ++k) model.weights[k] = 1 / static_cast<double>(layout.nodes);
  for (std::size_t k = layout.edges(); k < layout.dimension(); ++k)
    model.weights[k] = options.edge_weight / static_cast<double>(layout.dimension() - layout.edges());
  return model;
}

MatchResult train_match(const GraphSet& set, std::span<const GraphPair> pairs, const MatchOptions& options,
                        const Observer& observer) {
  options.validate();
  set.validate();
  validate(set, pairs);
  require_truth(set, pairs, options.unmatched);
  const Stopwatch watch;
  const TimeLimit limit(options.solve.seconds);
  MatchResult result;
  MatchModel& model = result.model;
  model = blank_model(set, pairs, options);
  MatchRisk risk(model, set, pairs);
  risk.set_trade_off(options.C);
  SolveOptions solving = options.solve;
  const std::size_t rounds = options.kind == MatchKind::linear ? 1 : options.rounds;
  for (std::size_t round = 0; round < rounds; ++round) {
    solving.seconds = limit.left();
    SolveResult solved = solve(risk, solving, observer, {.weights = model.weights, .state = {}});
    // The weights of the round before have no more than their old objective under the tighter bound.
    if (round > 0 && solved.report.primal >= result.rounds.back().primal) break;
    model.weights = std::move(solved.w);
    result.solve = std::move(solved.report);
    const SolveReport& report = result.solve;
    const double looseness = options.kind == MatchKind::linear ? 0 : tighten_all(risk, model.weights, options);
    result.rounds.push_back({report.primal, report.dual, report.gap, report.passes, looseness, watch.seconds()});
    if (report.status == SolveStatus::interrupted || limit.over()) break;
    if (round > 0 && result.rounds[round - 1].primal - report.primal <= kLeastFall * report.primal) break;
  }
  const MatchRound& last = result.rounds.back();
  model.learnt = true;
  model.C = options.C;
  model.pairs = pairs.size();
  model.rounds = result.rounds.size();
  model.primal = last.primal;
  model.dual = last.dual;
  model.gap = last.gap;
  model.status = name_of(result.solve.status);
  model.loss_bound = (last.primal - 0.5 * squared_norm(model.weights)) / options.C;
  model.looseness = last.looseness;
  judge_on_training_pairs(set, pairs, options, model);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Learning the weights of a match model: rounds of one convex problem each, with a tighter separation every time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "learning/matching/match_risk.h"
#include "learning/solver/status.h"

namespace dorm {
namespace {

constexpr double kLeastFall = 1e-3;           // of the objective: less is not worth another round
constexpr double kLeastExplainedRisk = 0.02;  // below, as little as w = 0 is learnt
constexpr std::array kStartScales = {0.1, 0.3, 1.0, 3.0, 10.0, 30.0};  // of unlearnt weights

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

std::vector<double> equal_weights(const MatchLayout& layout, double edge_weight) {
  std::vector<double> weights(layout.dimension(), 0);
  for (std::size_t k = 0; k < layout.nodes; ++k) weights[k] = 1 / static_cast<double>(layout.nodes);
  for (std::size_t k = layout.edges(); k < layout.dimension(); ++k)
    weights[k] = edge_weight / static_cast<double>(layout.dimension() - layout.edges());
  return weights;
}

/// Tightens every block; the mean of what was too much before.
double tighten_all(MatchRisk& risk, std::span<const double> w, const MatchOptions& options) {
  std::vector<double> excess(risk.num_blocks(), 0);
  parallel_for(excess.size(), options.compute.threads, [&](std::size_t block, std::size_t) {
    const MatchRisk::Separation found = risk.tighten(block, w, options.steps);
    excess[block] = std::max(0.0, found.before - found.found);
  });
  double sum = 0;
  for (const double each : excess) sum += each;
  return sum / static_cast<double>(excess.size());
}

/// Without multipliers the bound may be so loose that w = 0 is best, and where edges weigh nothing there is nothing to
/// tighten. The objective is convex in weights and multipliers together, so others are tried: those of the unlearnt
/// model at several scales, tightened there. Leaves the best in the risk, and its weights in `w`.
void leave_zero(MatchRisk& risk, const std::vector<double>& unlearnt, const MatchOptions& options,
                std::vector<double>& w) {
  double best = risk.objective(w);
  std::vector<Multipliers> kept = risk.multipliers();
  for (const double scale : kStartScales) {
    std::vector<double> tried = unlearnt;
    for (double& each : tried) each *= scale;
    risk.set_multipliers({});
    tighten_all(risk, tried, options);
    const double objective = risk.objective(tried);
    if (objective >= best) continue;
    best = objective;
    kept = risk.multipliers();
    w = std::move(tried);
  }
  risk.set_multipliers(std::move(kept));
}

double squared_norm(std::span<const double> w) {
  double sum = 0;
  for (const double each : w) sum += each * each;
  return sum;
}

void judge_on_training_pairs(const GraphSet& set, std::span<const GraphPair> pairs, const MatchOptions& options,
                             MatchModel& model) {
  const std::vector<PairOutcome> outcomes = predict_matches(model, set, pairs, options.steps, options.compute.threads);
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
  model.weights = equal_weights(MatchLayout(model), options.edge_weight);
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
  std::vector<double> start, &weights = model.weights;
  model = blank_model(set, pairs, options);
  MatchRisk risk(model, set, pairs);
  risk.set_trade_off(options.C);
  const double at_zero = risk.objective(std::vector<double>(model.dimension(), 0));
  SolveOptions solving = options.solve;
  const std::size_t rounds = options.kind == MatchKind::linear ? 1 : options.rounds;
  for (std::size_t round = 0; round < rounds; ++round) {
    solving.seconds = limit.left();
    SolveResult solved = solve(risk, solving, observer, {.weights = start, .state = {}}, options.compute);
    // The weights of the round before have no more than their old objective under the tighter bound.
    if (round > 0 && solved.report.primal >= result.rounds.back().primal) break;
    weights = std::move(solved.w);
    result.solve = std::move(solved.report);
    const SolveReport& report = result.solve;
    const double looseness = options.kind == MatchKind::linear ? 0 : tighten_all(risk, weights, options);
    start = weights;
    result.rounds.push_back({report.primal, report.dual, report.gap, report.passes, looseness, watch.seconds()});
    if (report.status == SolveStatus::interrupted || limit.over()) break;
    if (round == 0 && rounds > 1 && report.primal > (1 - kLeastExplainedRisk) * at_zero)
      leave_zero(risk, equal_weights(MatchLayout(model), options.edge_weight), options, start);
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

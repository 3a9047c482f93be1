// SPDX-License-Identifier: Apache-2.0
// Slates: by assignment to positions, and under topic budgets.
#include "model/position_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/oracle.h"
#include "model/scorer.h"
#include "ranking/topics/best_list.h"

namespace dorm {
namespace {

// A feature matters when any part of the model gives it weight.
Model with_any_weight(const PositionModel& model) {
  Model any = model.shared;
  for (const std::vector<double>& block : model.blocks)
    for (std::size_t k = 0; k < block.size(); ++k)
      if (block[k] != 0) any.weights[k] = 1;
  return any;
}

// The list, then every other document by score.
Ranking completed(std::vector<std::uint32_t> list, std::span<const double> scores) {
  std::vector<bool> placed(scores.size(), false);
  for (const std::uint32_t i : list) placed[i] = true;
  for (const std::uint32_t i : top_ranking(scores))
    if (!placed[i]) list.push_back(i);
  return list;
}

void require_finite(std::span<const double> values, std::string_view query) {
  for (const double x : values)
    if (!std::isfinite(x))
      throw Error(ErrorCode::bad_input,
                  fmt::format("a score of query {} is not finite: features or weights are too large", query));
}

// c of the model where it orders all n positions, else the discount of DCG.
std::vector<double> position_weights(const Model& model, std::size_t positions) {
  std::vector<float> labels(positions + 1, 0.0f);
  labels[0] = 1;
  const Factors factors = make_trainable(model.measure, make_convention(model.convention))->factor(labels);
  std::vector<double> c = Decay(model.decay.empty() ? "measure" : model.decay).values(factors.a);
  c.resize(positions);
  if (c.back() <= 0)
    for (std::size_t j = 0; j < positions; ++j) c[j] = 1 / std::log2(static_cast<double>(j) + 2);
  return c;
}

}  // namespace

std::vector<Ranking> rank_by_position(const Dataset& data, std::span<const double> shared,
                                      const std::vector<std::vector<double>>& parts, std::span<const double> decay,
                                      std::size_t threads) {
  std::vector<Ranking> rankings(data.num_queries());
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const Query query = data.query(q);
    const std::size_t n = std::min(decay.size(), query.size());
    std::vector<double> values;
    for (std::size_t d = query.first_document; d < query.first_document + query.size(); ++d)
      for (std::size_t j = 0; j < n; ++j) values.push_back(decay[j] * shared[d] + (parts.empty() ? 0.0 : parts[j][d]));
    require_finite(values, query.id);
    rankings[q] =
        completed(best_list(values, n, nullptr, {}).documents, shared.subspan(query.first_document, query.size()));
  });
  return rankings;
}

std::vector<Ranking> rank(const PositionModel& model, const Dataset& data, std::size_t threads) {
  require_features(with_any_weight(model), data);
  const LinearScorer scorer(model.shared, data);
  std::vector<std::vector<double>> parts;
  for (const std::vector<double>& block : model.blocks) parts.push_back(scorer.scores(block, threads));
  return rank_by_position(data, scorer.scores(model.shared.weights, threads), parts, model.decay, threads);
}

std::vector<Ranking> rank_topics(const Model& model, const Dataset& data, std::span<const double> scores,
                                 const TopicTable& topics, std::size_t positions, const TopicOptions& options,
                                 TopicReport* report) {
  validate(topics);
  const std::vector<double> c = position_weights(model, positions);
  std::vector<Ranking> rankings;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const auto g = scores.subspan(query.first_document, query.size());
    const std::size_t n = std::min(positions, query.size());
    std::vector<double> values;
    for (const double score : g)
      for (std::size_t j = 0; j < n; ++j) values.push_back(c[j] * score);
    const TopicBudget budget{topics, query.first_document, query.size()};
    TopicList list = best_list(values, n, &budget, options);
    if (list.documents.empty())
      throw Error(ErrorCode::bad_input,
                  fmt::format("query {}: {}", query.id,
                              list.status == TopicStatus::infeasible
                                  ? explain_infeasible(n, budget)
                                  : "no list that keeps the limits was found in time; allow more time"));
    // c never increases, so the order by score is as good; it also settles ties.
    std::sort(list.documents.begin(), list.documents.end(),
              [&](std::uint32_t i, std::uint32_t k) { return g[i] > g[k] || (g[i] == g[k] && i < k); });
    rankings.push_back(std::move(list.documents));
    if (!report) continue;
    ++report->lists;
    report->unproven += list.status != TopicStatus::optimal;
    report->largest_gap = std::max(report->largest_gap, list.gap());
  }
  return rankings;
}

}  // namespace dorm

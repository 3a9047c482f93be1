// SPDX-License-Identifier: Apache-2.0
#include "report/pages/query_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dorm/explain.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kKeptFeatures = 8;     // of a query, that move its documents most
constexpr std::size_t kKeptWeights = 1'000;  // of a ranker
constexpr std::size_t kExplained = 2;        // rankers with contributions

bool explains(const ExploredRanker& ranker) {
  return ranker.model && ranker.scores && !ranker.model->weights.empty() &&
         ranker.model->weights.size() == ranker.model->features.size();
}

Ranking order_of(const ExploredRanker& ranker, const Query& query) {
  Ranking order;
  if (!ranker.scores) return order;
  const std::span<const double> scores = std::span(*ranker.scores).subspan(query.first_document, query.size());
  for (const std::uint32_t i : top_ranking(scores))
    if (std::isfinite(scores[i])) order.push_back(i);
  return order;
}

/// By label, equal ones in the order of the data.
Ranking best_order(const Query& query) {
  Ranking order(query.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return query.labels[a] > query.labels[b]; });
  return order;
}

std::span<const std::uint32_t> beginning(const Ranking& order) {
  return std::span(order).first(std::min(kListPositions, order.size()));
}
std::span<const std::uint32_t> beginning(Ranking&&) = delete;  // would not live as long

/// The features that add or take most over the documents, and what they do. `documents`: of the query, as
/// lists have them.
report::Queries::Contributions contributions_of(const ExploredRanker& ranker, const Dataset& data, std::size_t q,
                                                const std::vector<std::uint32_t>& documents) {
  const std::size_t first = data.query(q).first_document;
  std::vector<std::size_t> asked;
  for (const std::uint32_t i : documents) asked.push_back(first + i);
  const QueryExplanation found = explain(*ranker.model, ranker.data ? *ranker.data : data, q, 0, asked, 1);
  const std::size_t width = ranker.model->weights.size();
  std::vector<double> moved(width), mean(width);
  for (const DocumentExplanation& document : found.documents)
    for (const FeaturePart& part : document.parts) {
      moved[part.feature] += std::fabs(part.above_mean);
      mean[part.feature] = part.contribution - part.above_mean;
    }
  std::vector<std::size_t> order(width);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return moved[a] > moved[b]; });
  report::Queries::Contributions out{
      .features = {}, .mean_score = found.mean_score, .means = {}, .values = {}, .above = {}};
  std::vector<std::size_t> place(width, width);
  for (const std::size_t j : order) {
    if (out.features.size() == kKeptFeatures || moved[j] == 0) break;
    place[j] = out.features.size();
    out.features.push_back(j);
    out.means.push_back(mean[j]);
  }
  out.values.assign(documents.size(), std::vector<double>(out.features.size()));
  out.above = out.values;
  for (const DocumentExplanation& document : found.documents) {
    const auto at = std::find(asked.begin(), asked.end(), document.document) - asked.begin();
    for (const FeaturePart& part : document.parts) {
      if (place[part.feature] == width) continue;
      out.values[static_cast<std::size_t>(at)][place[part.feature]] = part.value;
      out.above[static_cast<std::size_t>(at)][place[part.feature]] = part.above_mean;
    }
  }
  return out;
}

std::string text_at(const std::vector<std::string>& texts, std::size_t i) {
  return i < texts.size() ? texts[i] : std::string();
}

/// Documents of the query that some list begins with, in the order of the data.
std::vector<std::uint32_t> listed_documents(const Query& query, std::span<const Ranking> orders) {
  std::vector<bool> listed(query.size());
  const Ranking best = best_order(query);
  for (const std::uint32_t i : beginning(best)) listed[i] = true;
  for (const Ranking& order : orders)
    for (const std::uint32_t i : beginning(order)) listed[i] = true;
  std::vector<std::uint32_t> documents;
  for (std::uint32_t i = 0; i < query.size(); ++i)
    if (listed[i]) documents.push_back(i);
  return documents;
}

report::Queries::Lists explained_lists(const Dataset& data, std::size_t q, std::span<const ExploredRanker> rankers,
                                       const ReadableTexts* texts) {
  const Query query = data.query(q);
  std::vector<Ranking> orders;
  for (const ExploredRanker& ranker : rankers) orders.push_back(order_of(ranker, query));
  report::Queries::Lists lists = lists_of_orders(data, q, orders, texts);
  const std::vector<std::uint32_t> documents = listed_documents(query, orders);
  std::size_t explained = 0;
  for (std::size_t r = 0; r < rankers.size(); ++r) {
    if (!rankers[r].scores) continue;
    for (const std::uint32_t i : documents)
      lists.rankers[r].scores.push_back((*rankers[r].scores)[query.first_document + i]);
    if (explains(rankers[r]) && explained++ < kExplained)
      lists.rankers[r].why = contributions_of(rankers[r], data, q, documents);
  }
  return lists;
}

/// Keeps the features of contributions and those with the largest weights, under new numbers.
void keep_weights(const Model& model, std::size_t r, report::Queries& block) {
  std::vector<bool> kept(model.weights.size());
  std::vector<std::size_t> order(model.weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(model.weights[a]) > std::fabs(model.weights[b]);
  });
  for (std::size_t k = 0; k < std::min(kKeptWeights, order.size()); ++k) kept[order[k]] = true;
  for (const report::Queries::Query& query : block.queries)
    if (query.lists && query.lists->rankers[r].why)
      for (const std::size_t j : query.lists->rankers[r].why->features) kept[j] = true;
  std::vector<std::size_t> number(kept.size());
  report::Queries::Ranker& ranker = block.rankers[r];
  for (std::size_t j = 0; j < kept.size(); ++j) {
    if (!kept[j]) continue;
    number[j] = ranker.weights.size();
    ranker.features.push_back(model.features[j]);
    ranker.weights.push_back(model.weights[j]);
  }
  for (report::Queries::Query& query : block.queries)
    if (query.lists && query.lists->rankers[r].why)
      for (std::size_t& j : query.lists->rankers[r].why->features) j = number[j];
}

/// The measure of the best orders, by query.
std::vector<double> ideal_values(const Dataset& data, const std::string& measure, EvaluateOptions options) {
  options.bootstrap = 0;
  options.as_ranked = false;
  std::vector<double> labels;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    labels.insert(labels.end(), data.query(q).labels.begin(), data.query(q).labels.end());
  const std::vector<std::string> measures = {measure};
  return evaluate(data, labels, measures, options).measures[0].per_query;
}

}  // namespace

std::optional<std::size_t> cutoff_of(const std::string& measure) {
  const std::size_t at = measure.find('@');
  if (at == std::string::npos) return std::nullopt;
  const std::size_t value = std::strtoull(measure.c_str() + at + 1, nullptr, 10);
  return value > 0 ? std::optional(value) : std::nullopt;
}

std::vector<std::size_t> first_and_spaced(std::span<const std::size_t> order, std::size_t count) {
  if (order.size() <= count) return {order.begin(), order.end()};
  const std::size_t first = count / 2, others = count - first, rest = order.size() - first;
  std::vector<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t k = 1; k <= others; ++k) chosen.push_back(order[first + k * rest / others - 1]);
  return chosen;
}

report::Queries::Lists lists_of_orders(const Dataset& data, std::size_t q, std::span<const Ranking> orders,
                                       const ReadableTexts* texts) {
  const Query query = data.query(q);
  const Ranking best = best_order(query);
  const std::vector<std::uint32_t> documents = listed_documents(query, orders);
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> number(query.size(), kNone), ideal_rank(query.size());
  for (std::size_t k = 0; k < best.size(); ++k) ideal_rank[best[k]] = k + 1;
  report::Queries::Lists lists{
      .documents = {}, .ideal = {}, .rankers = {}, .positions = std::min(kListPositions, query.size())};
  for (const std::uint32_t i : documents) {
    number[i] = lists.documents.size();
    lists.documents.push_back({data.document_name(query.first_document + i), query.labels[i], ideal_rank[i]});
    if (texts) lists.documents.back().title = text_at(texts->titles, query.first_document + i);
  }
  for (const std::uint32_t i : beginning(best)) lists.ideal.push_back(number[i]);
  for (const Ranking& order : orders) {
    report::Queries::Ranked& ranked = lists.rankers.emplace_back();
    ranked.ranks.assign(documents.size(), 0);
    for (const std::uint32_t i : beginning(order)) ranked.order.push_back(number[i]);
    for (std::size_t k = 0; k < order.size(); ++k)
      if (number[order[k]] != kNone) ranked.ranks[number[order[k]]] = k + 1;
  }
  return lists;
}

report::Queries explored_queries(const Dataset& data, std::span<const ExploredRanker> rankers,
                                 const std::string& measure, const EvaluateOptions& options,
                                 std::span<const std::size_t> order, std::span<const std::size_t> listed,
                                 const ReadableTexts* texts) {
  report::Queries block{.title = "Every query", .measure = measure, .data = {}, .cutoff = cutoff_of(measure)};
  const std::vector<double> ideal = ideal_values(data, measure, options);
  std::vector<bool> with_lists(data.num_queries());
  for (const std::size_t q : listed) with_lists[q] = true;
  for (const ExploredRanker& ranker : rankers) block.rankers.push_back({.name = ranker.name, .values = {}});
  for (const std::size_t q : order.first(std::min(kExploredQueries, order.size()))) {
    const Query query = data.query(q);
    const auto relevant =
        std::count_if(query.labels.begin(), query.labels.end(), [](float label) { return label > 0; });
    report::Queries::Query& shown = block.queries.emplace_back();
    shown = {.name = std::string(query.id),
             .documents = query.size(),
             .relevant = static_cast<std::size_t>(relevant),
             .ideal = ideal[q]};
    if (with_lists[q]) shown.lists = explained_lists(data, q, rankers, texts);
    if (texts) shown.text = text_at(texts->queries, q);
    for (std::size_t r = 0; r < rankers.size(); ++r) block.rankers[r].values.push_back((*rankers[r].values)[q]);
  }
  for (std::size_t r = 0; r < rankers.size(); ++r)
    if (explains(rankers[r])) keep_weights(*rankers[r].model, r, block);
  return block;
}

std::string query_caption(const Dataset& data, std::size_t q, const ReadableTexts* texts) {
  const std::string text = texts ? text_at(texts->queries, q) : std::string();
  return text.empty() ? std::string(data.query(q).id) : fmt::format("{}: {}", data.query(q).id, text);
}

std::string pruned_text(const report::Queries& queries, std::size_t all, const std::string& which) {
  std::string text;
  if (queries.queries.size() < all)
    text = fmt::format("{} of {} queries are on this page. ", queries.queries.size(), all);
  std::size_t lists = 0, explained = 0;
  for (const report::Queries::Query& query : queries.queries) {
    if (!query.lists) continue;
    ++lists;
    for (const report::Queries::Ranked& ranker : query.lists->rankers) explained += ranker.why ? 1 : 0;
  }
  if (lists < queries.queries.size())
    text += fmt::format("{} of {} have their lists with them, so that the page stays small: {}. ", lists,
                        queries.queries.size(), which);
  text += fmt::format("Lists are the first {} documents", kListPositions);
  if (explained == 0) return text + ".";
  return text +
         fmt::format("; the {} features that move them most are kept. dorm explore shows all features.", kKeptFeatures);
}

}  // namespace dorm::pages

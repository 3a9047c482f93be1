// SPDX-License-Identifier: Apache-2.0
#include "learning/fusion/judged_lists.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "base/numeric.h"
#include "base/parallel.h"
#include "evaluation/ranking.h"

namespace dorm {

/// What the views of ScoredQuery show; retrieved documents first.
struct JudgedLists::Lists {
  struct One {
    std::vector<float> labels, judged;
    std::vector<double> scores;
    std::vector<std::string_view> documents;
  };
  std::vector<One> lists;
  std::vector<ScoredQuery> queries;
};

std::vector<std::vector<double>> scores_of_runs(const JoinedRuns& runs, std::span<const NamedRun> entries,
                                                std::size_t threads) {
  const Dataset& data = runs.data;
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t q = 0; q < data.num_queries(); ++q) place.emplace(data.query(q).id, q);
  std::vector<std::vector<std::vector<const RunEntry*>>> lists(data.num_queries());  // by query, then run
  for (auto& each : lists) each.resize(entries.size());
  for (std::size_t r = 0; r < entries.size(); ++r)
    for (const RunEntry& entry : entries[r].entries) lists[place.at(entry.query)][r].push_back(&entry);
  std::vector<std::vector<double>> scores(entries.size(), std::vector<double>(data.num_documents(), -kInfinity));
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    std::unordered_map<std::string_view, std::size_t> document;
    const std::size_t first = data.first_document(q), end = first + data.query(q).size();
    for (std::size_t d = first; d < end; ++d) document.emplace(data.document_id(d), d);
    for (std::size_t r = 0; r < entries.size(); ++r)
      for (const RunEntry* entry : lists[q][r]) scores[r][document.at(entry->document)] = entry->score;
    lists[q] = {};
  });
  return scores;
}

JudgedLists::JudgedLists(const JoinedRuns& runs, std::size_t depth) : runs_(runs), depth_(depth) {
  for (std::size_t q = 0; q < runs.judged_queries; ++q) {
    for (const float label : runs.data.query(q).labels) best_label_ = std::max(best_label_, label);
    for (const float label : runs.missed[q]) best_label_ = std::max(best_label_, label);
  }
}

JudgedLists::Lists JudgedLists::lists_of(std::span<const double> scores) const {
  Lists out;
  out.lists.resize(runs_.judged_queries);
  for (std::size_t q = 0; q < runs_.judged_queries; ++q) {
    const Query query = runs_.data.query(q);
    Lists::One& list = out.lists[q];
    const auto add = [&](std::size_t d) {
      const float label = query.labels[d - query.first_document];
      list.labels.push_back(label);
      list.judged.push_back(runs_.judged[d] ? label : kNotPooled);
      list.documents.push_back(runs_.data.document_id(d));
    };
    const std::size_t end = query.first_document + query.size();
    std::vector<std::size_t> ranked;
    for (std::size_t d = query.first_document; d < end; ++d)
      if (std::isfinite(scores[d])) ranked.push_back(d);
    double least = -kInfinity;  // of the scores that are looked at; equal ones stay, for the rule of ties
    if (depth_ > 0 && ranked.size() > depth_) {
      std::vector<double> best;
      for (const std::size_t d : ranked) best.push_back(scores[d]);
      std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(depth_ - 1), best.end(),
                       std::greater<>());
      least = best[depth_ - 1];
    }
    for (const std::size_t d : ranked)
      if (scores[d] >= least) add(d), list.scores.push_back(scores[d]);
    for (std::size_t d = query.first_document; d < end; ++d)
      if (!std::isfinite(scores[d]) || scores[d] < least)
        if (depth_ == 0 || query.labels[d - query.first_document] > 0) add(d);
    for (const float label : runs_.missed[q]) {
      list.labels.push_back(label);
      list.judged.push_back(label);
    }
    out.queries.push_back({.id = query.id,
                           .labels = list.labels,
                           .scores = list.scores,
                           .document_ids = list.documents,
                           .judged = list.judged});
  }
  return out;
}

EvaluationTable JudgedLists::evaluate(std::span<const double> scores, std::span<const std::string> measures,
                                      const EvaluateOptions& options) const {
  return dorm::evaluate(lists_of(scores).queries, measures, options);
}

EvaluationTable JudgedLists::evaluate_if_good(std::span<const double> scores, std::size_t depth,
                                              std::span<const std::string> measures,
                                              const EvaluateOptions& options) const {
  Lists lists = lists_of(scores);
  const Ties ties = convention_of(options).ties;
  RankedQuery ranked;
  for (std::size_t q = 0; q < lists.queries.size(); ++q) {
    rank(lists.queries[q], ties, ranked);
    Lists::One& list = lists.lists[q];
    for (std::size_t k = 0; k < std::min(depth, ranked.documents.size()); ++k)
      if (const std::uint32_t i = ranked.documents[k]; list.judged[i] == kNotPooled) list.labels[i] = best_label_;
  }
  return dorm::evaluate(lists.queries, measures, options);
}

}  // namespace dorm

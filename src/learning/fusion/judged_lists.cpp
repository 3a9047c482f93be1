// SPDX-License-Identifier: Apache-2.0
#include "learning/fusion/judged_lists.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/numeric.h"
#include "base/parallel.h"
#include "data/runs/document_numbers.h"
#include "data/runs/run_parts.h"
#include "evaluation/ranking.h"

namespace dorm {

struct JudgedLists::One {
  std::vector<float> labels, judged;
  std::vector<double> scores;
  std::vector<std::string_view> documents;
};

/// What the views of ScoredQuery show; retrieved documents first.
struct JudgedLists::Lists {
  std::vector<One> lists;
  std::vector<ScoredQuery> queries;
};

std::vector<std::vector<double>> scores_of_runs(const JoinedRuns& runs, std::span<const NamedRun> entries,
                                                std::size_t threads) {
  const Dataset& data = runs.data;
  std::vector<std::string_view> ids;
  for (std::size_t q = 0; q < runs.judged_queries; ++q) ids.push_back(data.query(q).id);
  const std::vector<PartsOfQuery> parts = parts_of_queries(entries, ids, threads);
  std::vector<std::vector<double>> scores(entries.size(),
                                          std::vector<double>(data.first_document(runs.judged_queries), -kInfinity));
  parallel_for(runs.judged_queries, threads, [&](std::size_t q, std::size_t) {
    const std::size_t first = data.first_document(q), size = data.query(q).size();
    DocumentNumbers numbers(size);
    for (std::size_t i = 0; i < size; ++i) numbers.add(data.document_id(first + i));
    for (const RunPart& part : parts[q].parts)
      for (std::size_t e = part.begin; e < part.end; ++e) {
        const RunEntry& entry = entries[part.run].entries[e];
        scores[part.run][first + numbers.find(entry.document)] = entry.score;
      }
  });
  return scores;
}

JudgedLists::JudgedLists(const JoinedRuns& runs, std::size_t depth) : runs_(runs), depth_(depth) {
  for (std::size_t q = 0; q < runs.judged_queries; ++q) {
    for (const float label : runs.data.query(q).labels) best_label_ = std::max(best_label_, label);
    for (const float label : runs.missed[q]) best_label_ = std::max(best_label_, label);
  }
}

JudgedLists::One JudgedLists::list_of(std::size_t q, std::span<const double> scores) const {
  const Query query = runs_.data.query(q);
  One list;
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
  return list;
}

JudgedLists::Lists JudgedLists::lists_of(std::span<const double> scores, std::size_t threads) const {
  Lists out;
  out.lists.resize(runs_.judged_queries);
  parallel_for(out.lists.size(), threads, [&](std::size_t q, std::size_t) { out.lists[q] = list_of(q, scores); });
  for (std::size_t q = 0; q < out.lists.size(); ++q)
    out.queries.push_back({.id = runs_.data.query(q).id,
                           .labels = out.lists[q].labels,
                           .scores = out.lists[q].scores,
                           .document_ids = out.lists[q].documents,
                           .judged = out.lists[q].judged});
  return out;
}

JudgedLists::Figures JudgedLists::evaluate(std::span<const double> scores, std::span<const std::string> measures,
                                           std::size_t good, const EvaluateOptions& options) const {
  Lists lists = lists_of(scores, options.threads);
  Figures figures{dorm::evaluate(lists.queries, measures, options), 0};
  const Ties ties = convention_of(options).ties;
  RankedQuery ranked;
  for (std::size_t q = 0; q < lists.queries.size(); ++q) {
    rank(lists.queries[q], ties, ranked);
    One& list = lists.lists[q];
    for (std::size_t k = 0; k < std::min(good, ranked.documents.size()); ++k)
      if (const std::uint32_t i = ranked.documents[k]; list.judged[i] == kNotPooled) list.labels[i] = best_label_;
  }
  EvaluateOptions plain = options;
  plain.bootstrap = 0;
  figures.if_good = dorm::evaluate(lists.queries, measures.first(1), plain).measures.front().mean;
  return figures;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// TREC runs judged by subtopic.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/numeric.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/ranking/group_lists.h"
#include "dorm/ranking/subtopics.h"
#include "evaluation/ranking.h"
#include "evaluation/summarise.h"

namespace dorm {
namespace {

/// Documents of the run first, in its order, then the judged ones it left out.
struct JudgedQuery {
  std::string_view id;
  bool in_run = false;
  SubtopicCover cover;
  std::vector<std::string_view> documents;
  std::vector<double> scores;
  std::unordered_map<std::string_view, std::uint32_t> document_number, subtopic_number;

  std::uint32_t document(std::string_view name) {
    const auto next = static_cast<std::uint32_t>(documents.size());
    const auto [slot, fresh] = document_number.try_emplace(name, next);
    if (fresh) {
      documents.push_back(name);
      cover.of_document.emplace_back();
    }
    return slot->second;
  }

  // By descending id, as ndeval does; documents of no subtopic never gain.
  void order_ideal() {
    for (std::uint32_t d = 0; d < documents.size(); ++d)
      if (!cover.of_document[d].empty()) cover.ideal_order.push_back(d);
    std::sort(cover.ideal_order.begin(), cover.ideal_order.end(),
              [this](std::uint32_t x, std::uint32_t y) { return documents[x] > documents[y]; });
  }
};

class Judging {
 public:
  explicit Judging(std::span<const SubtopicJudgment> judgments) {
    for (const SubtopicJudgment& judgment : judgments) {
      const auto [slot, fresh] = place_.try_emplace(judgment.query, queries.size());
      if (fresh) queries.emplace_back().id = judgment.query;
    }
  }

  void add(std::span<const RunEntry> run) {
    for (const RunEntry& entry : run) {
      const auto [slot, fresh] = place_.try_emplace(entry.query, kUnjudged);
      if (fresh) ++unjudged_queries;
      if (slot->second == kUnjudged) continue;
      JudgedQuery& query = queries[slot->second];
      if (query.document(entry.document) != query.scores.size())
        throw Error(ErrorCode::bad_input,
                    fmt::format("query \"{}\", document \"{}\" appears twice in the run", entry.query, entry.document));
      query.in_run = true;
      query.scores.push_back(entry.score);
    }
  }

  void add(std::span<const SubtopicJudgment> judgments) {
    for (const SubtopicJudgment& judgment : judgments) {
      if (!(judgment.label > 0)) continue;
      JudgedQuery& query = queries[place_.at(judgment.query)];
      const auto next = static_cast<std::uint32_t>(query.cover.subtopics);
      const auto [slot, fresh] = query.subtopic_number.try_emplace(judgment.subtopic, next);
      if (fresh) ++query.cover.subtopics;
      std::vector<std::uint32_t>& covered = query.cover.of_document[query.document(judgment.document)];
      if (std::find(covered.begin(), covered.end(), slot->second) != covered.end())
        throw Error(ErrorCode::bad_input,
                    fmt::format("query \"{}\", subtopic \"{}\", document \"{}\" appears twice in the judgments",
                                judgment.query, judgment.subtopic, judgment.document));
      covered.push_back(slot->second);
    }
  }

  std::vector<JudgedQuery> queries;
  std::size_t unjudged_queries = 0;

 private:
  static constexpr std::size_t kUnjudged = std::numeric_limits<std::size_t>::max();
  std::unordered_map<std::string_view, std::size_t> place_;
};

Ties order_of(const EvaluateOptions& options, const Convention& convention) {
  const Ties ties = options.ties.empty() ? convention.ties : parse_ties(options.ties);
  if (ties == Ties::expected || ties == Ties::worst)
    throw Error(ErrorCode::bad_option,
                fmt::format("ties {}: subtopic measures need an order; expected index or document_id", name_of(ties)));
  return ties;
}

Ranking ranking_of(const JudgedQuery& query, Ties ties, const EvaluateOptions& options) {
  RankedQuery ranked;
  rank({query.id, {}, query.scores, query.documents}, ties, ranked);
  if (options.depth > 0 && options.depth < ranked.documents.size()) ranked.documents.resize(options.depth);
  if (options.one_per.empty()) return ranked.documents;
  return admit(ranked.documents, group_limits(query.documents, parse_one_per(options.one_per)));
}

}  // namespace

EvaluationTable evaluate_subtopics(std::span<const SubtopicJudgment> judgments, std::span<const RunEntry> run,
                                   std::span<const std::string> measures, const EvaluateOptions& options) {
  const Convention convention = convention_of(options);
  const Ties ties = order_of(options, convention);
  std::vector<std::unique_ptr<const SubtopicMeasure>> made;
  for (const std::string& spelling : measures) made.push_back(make_subtopic_measure(spelling));
  Judging judging(judgments);
  judging.add(run);
  judging.add(judgments);
  for (JudgedQuery& query : judging.queries) query.order_ideal();
  EvaluationTable table{convention.name, std::string(name_of(ties)), options.one_per, {}, 0, {}};
  table.unjudged_queries = judging.unjudged_queries;
  for (const auto& measure : made) table.measures.push_back({measure->name(), kNaN, kNaN, kNaN, 0, 0, {}});
  std::size_t missing = 0;
  for (const JudgedQuery& query : judging.queries) {
    if (convention.skip_missing && !query.in_run) {
      ++missing;
      continue;
    }
    table.query_ids.emplace_back(query.id);
    const Ranking ranking = ranking_of(query, ties, options);
    for (std::size_t m = 0; m < made.size(); ++m) {
      const double otherwise = convention.empty == EmptyQuery::skip ? kNaN : convention.empty == EmptyQuery::one;
      table.measures[m].per_query.push_back(made[m]->evaluate(query.cover, ranking).value_or(otherwise));
    }
  }
  summarise(table, std::vector<double>(table.query_ids.size(), 1.0), options);
  for (MeasureResult& result : table.measures) result.skipped += missing;
  return table;
}

}  // namespace dorm

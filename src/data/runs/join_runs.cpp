// SPDX-License-Identifier: Apache-2.0
// The lists of all queries of some runs, with judgments, as a data set.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/parallel.h"
#include "base/quote.h"
#include "dorm/error.h"
#include "dorm/fusion/runs.h"

namespace dorm {
namespace {

using Judged = std::unordered_map<std::string_view, float>;

/// What is known of one query.
struct RunQuery {
  std::string_view id;
  bool judged = false;
  Judged labels = {};
  std::vector<std::vector<ListedDocument>> lists = {};
  JoinedLists joined = {};

  bool listed(std::size_t runs) const {
    return std::any_of(lists.begin(), lists.begin() + static_cast<std::ptrdiff_t>(runs),
                       [](const auto& list) { return !list.empty(); });
  }
};

// Queries in the order of the judgments, then of the runs.
std::vector<RunQuery> gather(std::span<const NamedRun> runs, std::span<const Judgment> judgments) {
  std::vector<RunQuery> queries;
  std::unordered_map<std::string_view, std::size_t> place;
  const auto query_of = [&](std::string_view id) -> RunQuery& {
    const auto [slot, added] = place.try_emplace(id, queries.size());
    if (added) queries.push_back({.id = id}), queries.back().lists.resize(runs.size());
    return queries[slot->second];
  };
  for (const Judgment& judgment : judgments) {
    RunQuery& query = query_of(judgment.query);
    query.judged = true;
    if (!query.labels.emplace(judgment.document, judgment.label).second)
      throw Error(ErrorCode::bad_input, fmt::format("query {}: document {} is judged twice", in_quotes(judgment.query),
                                                    in_quotes(judgment.document)));
  }
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const RunEntry& entry : runs[r].entries)
      query_of(entry.query).lists[r].push_back({entry.document, entry.score});
  return queries;
}

/// Means over the lists that are not empty.
void add_ranges(const std::vector<RunQuery>& queries, JoinedRuns& out) {
  const std::size_t columns = out.input.num_columns();
  std::vector<std::size_t> lists(columns);
  out.low.assign(columns, 0);
  out.high.assign(columns, 0);
  for (const RunQuery& query : queries)
    for (std::size_t r = 0; r < columns; ++r) {
      if (query.lists[r].empty()) continue;
      const auto [low, high] =
          std::minmax_element(query.lists[r].begin(), query.lists[r].end(),
                              [](const ListedDocument& a, const ListedDocument& b) { return a.score < b.score; });
      out.low[r] += low->score;
      out.high[r] += high->score;
      ++lists[r];
    }
  for (std::size_t r = 0; r < columns; ++r) {
    out.low[r] /= static_cast<double>(std::max<std::size_t>(1, lists[r]));
    out.high[r] /= static_cast<double>(std::max<std::size_t>(1, lists[r]));
  }
}

void join_all(std::vector<RunQuery>& queries, const FusionInput& input, std::size_t threads, const ColumnRule& rule) {
  parallel_for(queries.size(), threads, [&](std::size_t q, std::size_t) {
    RunQuery& query = queries[q];
    try {
      query.joined = join_lists(query.lists, input, rule);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("query {}: {}", in_quotes(query.id), error.what()));
    }
    query.lists.clear();
  });
}

// Moves the labels of listed documents to the data; what is left was missed.
void add_query(RunQuery& query, DatasetBuilder& builder, JoinedRuns& out) {
  const std::size_t columns = out.input.num_columns();
  const JoinedLists& joined = query.joined;
  for (std::size_t d = 0; d < joined.documents.size(); ++d) {
    const auto label = query.labels.find(joined.documents[d]);
    const bool judged = label != query.labels.end();
    builder.add({judged ? label->second : 0.0f, query.id, joined.documents[d]},
                std::span(joined.values).subspan(d * columns, columns));
    out.judged.push_back(judged);
    if (judged) query.labels.erase(label);
  }
  out.reciprocal_rank.insert(out.reciprocal_rank.end(), joined.reciprocal_rank.begin(), joined.reciprocal_rank.end());
  if (query.judged) {
    ++out.judged_queries;
    std::vector<float>& missed = out.missed.emplace_back();
    for (const auto& [document, label] : query.labels) missed.push_back(label);
    std::sort(missed.begin(), missed.end());
  }
  query = {};
}

}  // namespace

JoinedRuns join_runs(std::span<const NamedRun> runs, std::span<const Judgment> judgments, const FusionInput& input,
                     std::size_t threads, const ColumnRule& rule) {
  std::vector<RunQuery> queries = gather(runs, judgments);
  JoinedRuns out;
  out.input = input;
  const std::size_t all = queries.size();
  std::erase_if(queries, [&](const RunQuery& query) { return !query.listed(input.runs.size()) && query.judged; });
  out.unlisted_queries = all - queries.size();
  std::erase_if(queries, [&](const RunQuery& query) { return !query.listed(input.runs.size()); });
  if (queries.empty())
    throw Error(ErrorCode::bad_input, "no query of the judgments is in a run; expected the same query ids in both");
  add_ranges(queries, out);
  join_all(queries, input, threads, rule);
  DatasetBuilder builder;
  builder.set_feature_names(input.column_names());
  for (RunQuery& query : queries) add_query(query, builder, out);
  out.data = builder.finish();
  return out;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The lists of all queries of some runs, with judgments, as a data set.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>

#include "base/page_buffer.h"
#include "base/parallel.h"
#include "base/quote.h"
#include "data/owned_columns.h"
#include "data/runs/query_shares.h"
#include "data/runs/run_parts.h"
#include "dorm/error.h"
#include "dorm/fusion/runs.h"

namespace dorm {
namespace {

constexpr double kNoList = std::numeric_limits<double>::quiet_NaN();

using Labels = std::unordered_map<std::string_view, float>;

/// What is known of one query, and what becomes of it.
struct RunQuery {
  std::string_view id;
  std::vector<RunPart> parts = {};
  bool judged = false;
  Labels labels = {};  // in the end of documents that no run lists
  JoinedLists joined = {};
  std::vector<float> label_of = {};          // by document
  std::vector<std::uint8_t> is_judged = {};  // by document
  std::vector<double> low = {}, high = {};   // by list
  std::vector<double> shares = {};

  bool listed(std::size_t runs) const { return !parts.empty() && parts.front().run < runs; }
};

/// Judged queries in the order of the judgments.
std::vector<RunQuery> judged_in(std::span<const Judgment> judgments) {
  std::vector<RunQuery> queries;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const Judgment& judgment : judgments) {
    const auto [slot, added] = place.try_emplace(judgment.query, queries.size());
    if (added) queries.push_back({.id = judgment.query, .judged = true});
    if (!queries[slot->second].labels.emplace(judgment.document, judgment.label).second)
      throw Error(ErrorCode::bad_input, fmt::format("query {}: document {} is judged twice", in_quotes(judgment.query),
                                                    in_quotes(judgment.document)));
  }
  return queries;
}

/// And then those of the runs.
std::vector<RunQuery> gather(std::span<const NamedRun> runs, std::span<const Judgment> judgments, std::size_t threads) {
  std::vector<RunQuery> queries = judged_in(judgments);
  std::vector<std::string_view> ids;
  for (const RunQuery& query : queries) ids.push_back(query.id);
  std::vector<PartsOfQuery> parts = parts_of_queries(runs, ids, threads);
  queries.resize(parts.size());
  for (std::size_t q = 0; q < parts.size(); ++q) {
    queries[q].id = parts[q].query;
    queries[q].parts = std::move(parts[q].parts);
  }
  return queries;
}

void join_query(RunQuery& query, std::span<const NamedRun> runs, const FusionInput& input, const ColumnRule& rule) {
  std::vector<std::vector<ListedDocument>> lists(runs.size());
  for (const RunPart& part : query.parts)
    for (std::size_t i = part.begin; i < part.end; ++i)
      lists[part.run].push_back({runs[part.run].entries[i].document, runs[part.run].entries[i].score});
  query.joined = join_lists(lists, input, query.shares, rule);
  for (const std::vector<ListedDocument>& list : lists) {
    const auto [low, high] = std::minmax_element(
        list.begin(), list.end(), [](const ListedDocument& a, const ListedDocument& b) { return a.score < b.score; });
    query.low.push_back(list.empty() ? kNoList : low->score);
    query.high.push_back(list.empty() ? kNoList : high->score);
  }
  for (const std::string_view document : query.joined.documents) {
    const auto label = query.labels.find(document);
    query.is_judged.push_back(label != query.labels.end());
    query.label_of.push_back(label != query.labels.end() ? label->second : 0.0f);
    if (label != query.labels.end()) query.labels.erase(label);
  }
}

void join_all(std::vector<RunQuery>& queries, std::span<const NamedRun> runs, const FusionInput& input,
              const JoinOptions& options) {
  const QueryShares shares(input, options.query_features);
  parallel_for(queries.size(), options.threads, [&](std::size_t q, std::size_t) {
    try {
      queries[q].shares = shares.of(queries[q].id);
      join_query(queries[q], runs, input, options.rule);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("query {}: {}", in_quotes(queries[q].id), error.what()));
    }
  });
}

/// Means over the lists that are not empty.
void add_ranges(const std::vector<RunQuery>& queries, JoinedRuns& out) {
  const std::size_t lists = out.input.num_lists();
  std::vector<double> count(lists, 0);
  out.low.assign(lists, 0);
  out.high.assign(lists, 0);
  for (const RunQuery& query : queries)
    for (std::size_t r = 0; r < lists; ++r)
      if (!std::isnan(query.low[r])) {
        out.low[r] += query.low[r];
        out.high[r] += query.high[r];
        ++count[r];
      }
  for (std::size_t r = 0; r < lists; ++r) {
    out.low[r] /= std::max(1.0, count[r]);
    out.high[r] /= std::max(1.0, count[r]);
  }
}

struct JoinedBlock {
  OwnedColumns columns;
  PageBuffer<float> values;
};

Dataset data_of(std::vector<RunQuery>& queries, const FusionInput& input, std::size_t threads) {
  auto block = std::make_shared<JoinedBlock>();
  OwnedColumns& columns = block->columns;
  for (const std::string& name : input.column_names()) columns.feature_names.push_back(name);
  for (const RunQuery& query : queries) {
    columns.labels.insert(columns.labels.end(), query.label_of.begin(), query.label_of.end());
    columns.query_end.push_back(columns.labels.size());
    columns.query_ids.push_back(query.id);
    for (const std::string_view document : query.joined.documents) columns.document_ids.push_back(document);
  }
  const std::size_t width = input.num_columns(), stride = dense_stride(width);
  block->values = PageBuffer<float>(columns.labels.size() * stride);
  parallel_for(queries.size(), threads, [&](std::size_t q, std::size_t) {
    std::vector<float>& values = queries[q].joined.values;
    float* row = block->values.data() + (columns.query_end[q] - queries[q].label_of.size()) * stride;
    for (std::size_t at = 0; at < values.size(); at += width, row += stride) std::copy_n(&values[at], width, row);
    values = {};
  });
  auto storage = std::make_shared<Storage>();
  columns.attach(*storage);
  storage->num_features = width;
  storage->stride = stride;
  storage->values = block->values.span();
  storage->owner = std::move(block);
  return Dataset(std::move(storage));
}

}  // namespace

JoinedRuns join_runs(std::span<const NamedRun> runs, std::span<const Judgment> judgments, const FusionInput& input,
                     const JoinOptions& options) {
  std::vector<RunQuery> queries = gather(runs, judgments, options.threads);
  JoinedRuns out;
  out.input = input;
  const auto unlisted = [&](const RunQuery& query) { return !query.listed(input.runs.size()); };
  out.unlisted_queries = static_cast<std::size_t>(std::count_if(
      queries.begin(), queries.end(), [&](const RunQuery& query) { return query.judged && unlisted(query); }));
  std::erase_if(queries, unlisted);
  if (queries.empty())
    throw Error(ErrorCode::bad_input, "no query of the judgments is in a run; expected the same query ids in both");
  join_all(queries, runs, input, options);
  add_ranges(queries, out);
  out.data = data_of(queries, input, options.threads);
  out.judged_by_run.assign(input.runs.size(), 0);
  for (const RunQuery& query : queries) {
    out.judged.insert(out.judged.end(), query.is_judged.begin(), query.is_judged.end());
    const std::vector<double>& ranks = query.joined.reciprocal_rank;
    out.reciprocal_rank.insert(out.reciprocal_rank.end(), ranks.begin(), ranks.end());
    out.shares.insert(out.shares.end(), query.shares.begin(), query.shares.end());
    if (!query.judged) continue;
    ++out.judged_queries;
    for (std::size_t r = 0; r < input.runs.size(); ++r) out.judged_by_run[r] += !std::isnan(query.low[r]);
    std::vector<float>& missed = out.missed.emplace_back();
    for (const auto& [document, label] : query.labels) missed.push_back(label);
    std::sort(missed.begin(), missed.end());
  }
  return out;
}

JoinedRuns without_query_features(const JoinedRuns& runs) {
  JoinedRuns out = runs;
  out.input.query_features.clear();
  out.shares.clear();
  auto storage = std::make_shared<Storage>(runs.data.storage());
  storage->num_features = out.input.num_columns();
  storage->feature_names.end = storage->feature_names.end.first(storage->num_features);
  out.data = runs.data.over(std::move(storage));
  return out;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// TREC runs: joining what was retrieved with what was judged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "base/parallel.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"

namespace dorm {
namespace {

struct JudgedDocument {
  float label = 0;
  bool retrieved = false;
};

struct JoinedQuery {
  std::string_view id;
  double weight = 1;
  std::unordered_map<std::string_view, JudgedDocument> judged = {};
  std::vector<const RunEntry*> entries = {};  // of the run
  std::vector<float> labels = {};
  std::vector<float> judgments = {};  // as labels, kNotPooled where there is none
  std::vector<double> scores = {};
  std::vector<std::string_view> documents = {};  // as labels: first those of the run
  GroupLimits groups = {};

  bool in_run() const { return !entries.empty(); }
};

struct Joined {
  std::vector<JoinedQuery> queries;
  std::size_t unjudged_queries = 0;
};

[[noreturn]] void throw_repeated(std::string_view query, std::string_view document, std::string_view where) {
  throw Error(ErrorCode::bad_input,
              fmt::format("query \"{}\", document \"{}\" appears twice in the {}", query, document, where));
}

// By hashes first: strings are compared only where two hashes are equal.
void refuse_repeated_documents(const JoinedQuery& query) {
  std::vector<std::size_t> hashes;
  for (const RunEntry* entry : query.entries) hashes.push_back(std::hash<std::string_view>()(entry->document));
  std::sort(hashes.begin(), hashes.end());
  if (std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end()) return;
  std::vector<std::string_view> documents;
  for (const RunEntry* entry : query.entries) documents.emplace_back(entry->document);
  std::sort(documents.begin(), documents.end());
  const auto repeated = std::adjacent_find(documents.begin(), documents.end());
  if (repeated != documents.end()) throw_repeated(query.id, *repeated, "run");
}

// Retrieved documents first, in run order, then the judged ones that were not retrieved.
void fill(JoinedQuery& query) {
  refuse_repeated_documents(query);
  for (const RunEntry* entry : query.entries) {
    const auto judged = query.judged.find(entry->document);
    const bool known = judged != query.judged.end();
    if (known) judged->second.retrieved = true;
    query.documents.emplace_back(entry->document);
    query.labels.push_back(known ? judged->second.label : 0.0f);
    query.judgments.push_back(known ? judged->second.label : kNotPooled);
    query.scores.push_back(entry->score);
  }
  std::vector<std::pair<float, std::string_view>> missing;
  for (const auto& [document, judged] : query.judged)
    if (!judged.retrieved) missing.push_back({judged.label, document});
  // Sums over these labels need a defined order, which a hash table does not have.
  std::sort(missing.begin(), missing.end());
  for (const auto& [label, document] : missing) {
    query.labels.push_back(label);
    query.judgments.push_back(label);
    query.documents.push_back(document);
  }
}

Joined join(std::span<const Judgment> judgments, std::span<const RunEntry> run, std::size_t threads) {
  Joined joined;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const Judgment& judgment : judgments) {
    const auto [slot, fresh] = place.try_emplace(judgment.query, joined.queries.size());
    if (fresh) joined.queries.push_back({.id = judgment.query});
    JoinedQuery& query = joined.queries[slot->second];
    if (!query.judged.emplace(judgment.document, JudgedDocument{judgment.label}).second)
      throw_repeated(judgment.query, judgment.document, "judgments");
  }
  constexpr std::size_t kUnjudged = std::numeric_limits<std::size_t>::max();
  std::size_t here = kUnjudged;
  const std::string* last = nullptr;  // entries of one query mostly follow each other
  for (const RunEntry& entry : run) {
    if (!last || *last != entry.query) {
      const auto [slot, fresh] = place.try_emplace(entry.query, kUnjudged);
      if (fresh) ++joined.unjudged_queries;
      here = slot->second;
      last = &entry.query;
    }
    if (here != kUnjudged) joined.queries[here].entries.push_back(&entry);
  }
  parallel_for(joined.queries.size(), threads_worth(threads, run.size() * 50),
               [&](std::size_t q, std::size_t) { fill(joined.queries[q]); });
  return joined;
}

EvaluationTable evaluate_joined(Joined joined, std::span<const std::string> measures, const EvaluateOptions& options) {
  const bool limited = !options.one_per.empty();
  if (limited)
    for (JoinedQuery& query : joined.queries)
      query.groups = group_limits(query.documents, parse_one_per(options.one_per));
  const bool skip_missing = convention_of(options).skip_missing;
  std::vector<ScoredQuery> queries;
  std::size_t skipped = 0;
  for (const JoinedQuery& query : joined.queries) {
    if (skip_missing && !query.in_run())
      ++skipped;
    else
      queries.push_back({query.id, query.labels, query.scores, query.documents, query.weight,
                         limited ? &query.groups : nullptr, query.judgments});
  }
  EvaluationTable table = evaluate(queries, measures, options);
  table.unjudged_queries = joined.unjudged_queries;
  for (MeasureResult& result : table.measures) result.skipped += skipped;
  return table;
}

}  // namespace

EvaluationTable evaluate_run(std::span<const Judgment> judgments, std::span<const RunEntry> run,
                             std::span<const std::string> measures, const EvaluateOptions& options) {
  return evaluate_joined(join(judgments, run, options.threads), measures, options);
}

EvaluationTable evaluate_run(const Dataset& data, std::span<const RunEntry> run, std::span<const std::string> measures,
                             const EvaluateOptions& options) {
  std::vector<Judgment> judgments;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i)
      judgments.push_back({std::string(query.id), data.document_name(query.first_document + i), query.labels[i]});
  }
  Joined joined = join(judgments, run, options.threads);
  for (std::size_t q = 0; q < data.num_queries(); ++q) joined.queries[q].weight = data.query(q).weight;
  EvaluateOptions complete = options;
  complete.complete = true;
  return evaluate_joined(std::move(joined), measures, complete);
}

RunOnData match_run(const Dataset& data, std::span<const RunEntry> run) {
  std::unordered_map<std::string_view, std::unordered_map<std::string, std::size_t>> place;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    auto& documents = place[query.id];
    for (std::size_t i = 0; i < query.size(); ++i)
      documents.emplace(data.document_name(query.first_document + i), query.first_document + i);
  }
  RunOnData result;
  result.scores.assign(data.num_documents(), -std::numeric_limits<double>::infinity());
  std::unordered_set<std::string_view> unknown;
  for (const RunEntry& entry : run) {
    const auto query = place.find(entry.query);
    if (query == place.end()) {
      unknown.insert(entry.query);
      continue;
    }
    const auto document = query->second.find(entry.document);
    if (document == query->second.end())
      ++result.unknown_documents;
    else if (std::isfinite(result.scores[document->second]))
      throw_repeated(entry.query, entry.document, "run");
    else
      result.scores[document->second] = entry.score;
  }
  result.unknown_queries = unknown.size();
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const std::size_t before = result.lacking_documents;
    for (std::size_t d = data.first_document(q); d < data.first_document(q) + data.query(q).size(); ++d) {
      if (std::isfinite(result.scores[d])) continue;
      if (result.lacking_documents++ > 0) continue;
      result.lacking_query = data.query(q).id;
      result.lacking_document = data.document_name(d);
    }
    result.lacking_queries += result.lacking_documents > before;
  }
  return result;
}

}  // namespace dorm

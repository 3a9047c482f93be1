// SPDX-License-Identifier: Apache-2.0
// Runs in memory, by judgments or by the labels of a data set.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "dorm/error.h"
#include "dorm/evaluation/run_evaluation.h"
#include "evaluation/repeated_document.h"

namespace dorm {

void throw_repeated_document(std::string_view query, std::string_view document, std::string_view where) {
  throw Error(ErrorCode::bad_input,
              fmt::format("query \"{}\", document \"{}\" appears twice in the {}", query, document, where));
}

EvaluationTable evaluate_run(std::span<const Judgment> judgments, std::span<const RunEntry> run,
                             std::span<const std::string> measures, const EvaluateOptions& options) {
  RunEvaluation evaluation(judgments, measures, options);
  hand_on(run, evaluation, options.threads);
  return evaluation.table();
}

EvaluationTable evaluate_run(const Dataset& data, std::span<const RunEntry> run, std::span<const std::string> measures,
                             const EvaluateOptions& options) {
  std::vector<Judgment> judgments;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i)
      judgments.push_back({std::string(query.id), data.document_name(query.first_document + i), query.labels[i]});
  }
  EvaluateOptions complete = options;
  complete.complete = true;
  std::vector<double> weights;
  for (std::size_t q = 0; q < data.num_queries(); ++q) weights.push_back(data.query(q).weight);
  RunEvaluation evaluation(judgments, measures, complete, weights);
  hand_on(run, evaluation, options.threads);
  return evaluation.table();
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
      throw_repeated_document(entry.query, entry.document, "run");
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

// SPDX-License-Identifier: Apache-2.0
// Which documents to judge first: those near the top of some run and not of others, a few of every query.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "dorm/fusion/fuse.h"

namespace dorm {
namespace {

/// What a run gives a document for its rank among the first `depth`. The least value is also that of documents which
/// the run does not list: it has no rank.
std::vector<double> discounts(const Query& query, std::size_t run, std::size_t depth) {
  std::vector<std::uint32_t> order(query.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return query.rows.at(i, run) > query.rows.at(j, run); });
  std::vector<double> out(query.size(), 0);
  const float least = query.rows.at(order.back(), run);
  for (std::size_t k = 0; k < std::min(depth, order.size()) && query.rows.at(order[k], run) > least; ++k)
    out[order[k]] = 1 / std::log2(real(k) + 2);
  return out;
}

/// Unjudged documents of the query, those on which runs disagree most first.
std::vector<DocumentToJudge> candidates_of(const JoinedRuns& runs, std::size_t q, std::size_t depth) {
  const Query query = runs.data.query(q);
  const std::size_t count = runs.input.runs.size();
  std::vector<std::vector<double>> of_run;
  for (std::size_t r = 0; r < count; ++r) of_run.push_back(discounts(query, r, depth));
  std::vector<DocumentToJudge> found;
  for (std::size_t i = 0; i < query.size(); ++i) {
    if (runs.judged[query.first_document + i]) continue;
    double apart = 0;
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t s = 0; s < r; ++s) apart += std::abs(of_run[r][i] - of_run[s][i]);
    if (apart > 0)
      found.push_back({std::string(query.id), std::string(runs.data.document_id(query.first_document + i)), apart});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const DocumentToJudge& a, const DocumentToJudge& b) { return a.disagreement > b.disagreement; });
  return found;
}

}  // namespace

std::vector<DocumentToJudge> documents_to_judge(const JoinedRuns& runs, std::size_t count, std::size_t depth) {
  std::vector<std::vector<DocumentToJudge>> by_query;
  for (std::size_t q = 0; q < runs.data.num_queries(); ++q) by_query.push_back(candidates_of(runs, q, depth));
  std::vector<DocumentToJudge> out;
  for (std::size_t k = 0; out.size() < count; ++k) {
    bool any = false;
    for (const std::vector<DocumentToJudge>& own : by_query)
      if (k < own.size() && out.size() < count) out.push_back(own[k]), any = true;
    if (!any) break;
  }
  return out;
}

}  // namespace dorm

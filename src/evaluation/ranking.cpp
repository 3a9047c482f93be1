// SPDX-License-Identifier: Apache-2.0
#include "evaluation/ranking.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

namespace dorm {
namespace {

// By decreasing score, then by index. Most runs are written in that order.
void rank_by_score(std::span<const double> scores, RankedQuery& out) {
  out.documents.resize(scores.size());
  if (std::is_sorted(scores.begin(), scores.end(), std::greater<>()))
    std::iota(out.documents.begin(), out.documents.end(), 0u);
  else
    sort_descending(scores, out.documents, out.sorting);
}

// Calls body(begin, end) for all positions of one score.
template <class Body>
void for_each_score(std::span<const double> scores, std::span<const std::uint32_t> documents, Body&& body) {
  for (std::size_t begin = 0, end = 0; begin < documents.size(); begin = end) {
    do ++end;
    while (end < documents.size() && scores[documents[end]] == scores[documents[begin]]);
    body(begin, end);
  }
}

// Equal scores by `better`, then by index.
template <class Better>
void order_ties(std::span<const double> scores, std::span<std::uint32_t> documents, Better better) {
  for_each_score(scores, documents, [&](std::size_t begin, std::size_t end) {
    if (end - begin == 1) return;
    const std::span<std::uint32_t> tied = documents.subspan(begin, end - begin);
    std::sort(tied.begin(), tied.end(), [&](std::uint32_t i, std::uint32_t j) {
      if (better(i, j)) return true;
      if (better(j, i)) return false;
      return i < j;
    });
  });
}

}  // namespace

void rank(const ScoredQuery& query, Ties ties, RankedQuery& out) {
  rank_by_score(query.scores, out);
  out.block_end.clear();
  if (ties == Ties::worst)
    order_ties(query.scores, out.documents,
               [&](std::uint32_t i, std::uint32_t j) { return query.labels[i] < query.labels[j]; });
  if (ties == Ties::document_id)
    order_ties(query.scores, out.documents,
               [&](std::uint32_t i, std::uint32_t j) { return query.document_ids[i] > query.document_ids[j]; });
  if (ties == Ties::expected)
    for_each_score(query.scores, out.documents,
                   [&](std::size_t, std::size_t end) { out.block_end.push_back(static_cast<std::uint32_t>(end)); });
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/ranking.h"

#include <algorithm>
#include <numeric>

namespace dorm {
namespace {

// Sorts by decreasing score, then by `better`, then by index; an index decides last, so any sort is stable.
template <class Better>
void sort_documents(const ScoredQuery& query, std::vector<std::uint32_t>& documents, Better better) {
  std::sort(documents.begin(), documents.end(), [&](std::uint32_t i, std::uint32_t j) {
    if (query.scores[i] != query.scores[j]) return query.scores[i] > query.scores[j];
    if (better(i, j)) return true;
    if (better(j, i)) return false;
    return i < j;
  });
}

}  // namespace

void rank(const ScoredQuery& query, Ties ties, RankedQuery& out) {
  out.documents.resize(query.scores.size());
  std::iota(out.documents.begin(), out.documents.end(), 0u);
  out.block_end.clear();
  switch (ties) {
    case Ties::worst:
      sort_documents(query, out.documents,
                     [&](std::uint32_t i, std::uint32_t j) { return query.labels[i] < query.labels[j]; });
      return;
    case Ties::document_id:
      sort_documents(query, out.documents,
                     [&](std::uint32_t i, std::uint32_t j) { return query.document_ids[i] > query.document_ids[j]; });
      return;
    case Ties::index:
    case Ties::expected:
      sort_documents(query, out.documents, [](std::uint32_t, std::uint32_t) { return false; });
  }
  if (ties != Ties::expected) return;
  for (std::size_t j = 1; j <= out.documents.size(); ++j)
    if (j == out.documents.size() || query.scores[out.documents[j]] != query.scores[out.documents[j - 1]])
      out.block_end.push_back(static_cast<std::uint32_t>(j));
}

}  // namespace dorm

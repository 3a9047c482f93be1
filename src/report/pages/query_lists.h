// SPDX-License-Identifier: Apache-2.0
// Queries for readers to explore: figures of rankers, the beginnings of their lists, and what features add to scores.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dorm/apps/report.h"
#include "dorm/data/texts.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"

namespace dorm::pages {

inline constexpr std::size_t kExploredQueries = 10'000;  // on a page
inline constexpr std::size_t kQueriesWithLists = 60;
inline constexpr std::size_t kListPositions = 10;

/// One ranker on the queries of a data set; views.
struct ExploredRanker {
  std::string name;
  const std::vector<double>* values = nullptr;  // of the measure, by query
  const std::vector<double>* scores = nullptr;  // in document order; not finite: not retrieved; null: no lists
  const Model* model = nullptr;                 // explains itself where it is linear
  const Dataset* data = nullptr;                // as the model expects it; null: as the others
};

/// "10" of "ndcg@10".
std::optional<std::size_t> cutoff_of(const std::string& measure);

/// The first so many, and others evenly spaced up to the last.
std::vector<std::size_t> first_and_spaced(std::span<const std::size_t> order, std::size_t count);

/// The first documents of each order, and of the best one. Orders may be beginnings; an empty one is not known.
report::Queries::Lists lists_of_orders(const Dataset& data, std::size_t q, std::span<const Ranking> orders,
                                       const ReadableTexts* texts = nullptr);

/// The queries of `order`, those of `listed` with lists. `options` are those that the values were made with.
report::Queries explored_queries(const Dataset& data, std::span<const ExploredRanker> rankers,
                                 const std::string& measure, const EvaluateOptions& options,
                                 std::span<const std::size_t> order, std::span<const std::size_t> listed,
                                 const ReadableTexts* texts = nullptr);

/// "q-0137", or "q-0137: running shoes" where that is known.
std::string query_caption(const Dataset& data, std::size_t q, const ReadableTexts* texts);

/// What the page does not have: "Lists are on this page for 60 of 500 queries: the hardest ..." Empty: it has all.
std::string pruned_text(const report::Queries& queries, std::size_t all, const std::string& which);

}  // namespace dorm::pages

// SPDX-License-Identifier: Apache-2.0
// Conventions: the details on which tools disagree when they print a figure under the same name. docs/measures.md lists
// the presets and where each comes from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"

namespace dorm {

/// Equal scores: by document index (as input), the expectation over all orders, the worst order, or by document id,
/// descending (trec_eval's rule).
enum class Ties { index, expected, worst, document_id };

/// Gain of a label r; labels at or below 0 gain nothing.
///   exp2:   2^r - 1; a label above 1000 is refused, since its gain could overflow a sum
///   linear: r
///   table:  Convention::gain_table, entry r, linear between entries; a label past the end is refused
enum class Gain { exp2, linear, table };

/// Discount of a rank (1-based): log2: 1 / log2(1 + rank); letor: 1, 1, then 1 / log2(rank).
enum class Discount { log2, letor };

/// A query in which a measure has nothing to find, e.g. no relevant document: leave it out of the mean, or count it as
/// 0, or as 1 (as 0 for measures that are not normalised, such as dcg).
enum class EmptyQuery { skip, zero, one };

/// A query with fewer documents than the cutoff: use what there is; or its dcg@n and ndcg@n are 0; or its
/// precision@n is 0 as well.
enum class ShortList { counted, gain_zero, zero };

struct Convention {
  std::string name = "standard";
  Gain gain = Gain::exp2;
  std::vector<double> gain_table = {};  // never decreasing, not negative
  Discount discount = Discount::log2;
  EmptyQuery empty = EmptyQuery::skip;
  Ties ties = Ties::index;
  double relevant_from = 0;    // relevant: label > 0 and label >= relevant_from
  bool relevant_best = false;  // relevant: label > 0 and the best of the query, whatever relevant_from says
  ShortList short_list = ShortList::counted;
  bool map_over_reachable = false;  // map@n divides by min(relevant, n), not by relevant
  bool skip_missing = false;        // judged queries a run does not mention: left out, or counted as empty lists

  /// Which labels of a query are relevant, given all of them.
  struct Relevance {
    double from = 0;
    bool operator()(float label) const { return label > 0 && static_cast<double>(label) >= from; }
  };
  Relevance relevance(std::span<const float> labels) const;
};

/// A preset by name; throws Error(unknown_name) with the nearest name and all of them.
Convention make_convention(std::string_view name);

/// "index", "expected", "worst" or "document_id"; throws Error(unknown_name).
Ties parse_ties(std::string_view name);
std::string_view name_of(Ties ties);

std::span<const CatalogEntry> convention_catalog();
std::span<const CatalogEntry> tie_catalog();

}  // namespace dorm

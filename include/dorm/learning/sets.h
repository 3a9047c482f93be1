// SPDX-License-Identifier: Apache-2.0
// Queries that are sets of documents: those by one author, those a reader liked. How similar a document is to the set
// of its query becomes a column, from which a ranker is learnt (docs/sets.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dorm/base/catalog.h"
#include "dorm/dataset.h"

namespace dorm {

struct SetOptions {
  bool only_added = false;  // the features of the data are left out of the result
  std::size_t threads = 0;  // 0: all cores; the result does not depend on it
};

/// The documents of `data` with a column for each similarity between them and the set S of their query:
///
///     mean:KERNEL   1/|S| sum over s in S of k(s, x), the product of x with the mean map of S
///     max:KERNEL    max over s in S of k(s, x)
///     columns       the mean features of S, a column "set:NAME" for each, to be used in products of kernels
///
/// The set of a query are the documents of the query of the same id in `sets`; labels there are not read. A document is
/// not compared with itself: a member with its document id is left out, and where nothing is left the value is 0.
/// Features are taken as they are and found by name; one that only one of the two has is 0 in the other.
///
/// Throws Error(bad_option) that quotes the similarity at fault, also for a kernel whose parameters would be drawn from
/// data (gamma=median); Error(bad_input) for a query without a set, or a column that the data has already.
Dataset with_set_columns(const Dataset& data, const Dataset& sets, std::span<const std::string> similarities,
                         const SetOptions& options = {});

/// Checks what does not depend on data; throws Error(bad_option).
void check_set_similarity(std::string_view similarity);

std::span<const CatalogEntry> set_similarity_catalog();

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Data sets made of data sets: weights, joins, unjudged documents, shards, folds; and features that leak the label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/dataset.h"

namespace dorm {

/// The same data, whose labels are gains estimated from clicks: input().of_clicks(). Shares everything.
Dataset marked_as_clicks(const Dataset& data);

/// The same data with other query weights, one per query in the order of `data`: finite, 0 or more, not all
/// 0. Shares the features. Throws Error(bad_input).
Dataset with_query_weights(const Dataset& data, std::vector<double> weights);

/// The queries of several sets, one set after another; shares the features of each. Rows are counted over all. Throws
/// Error(bad_input) where the parts differ in their features or in how they were read, or a query is in two of them.
Dataset join(std::vector<Dataset> parts);

/// A feature that gives the label away, so that what is learnt from it is worth nothing.
struct LabelLeak {
  enum class Kind {
    equal,     // it is the label
    monotone,  // it orders all documents as the label does
    name,      // its name is one that labels have
  };
  Kind kind;
  std::string feature;
};
/// In one pass over the features; of small data, where order may be chance, by name and equality alone.
std::vector<LabelLeak> find_label_leaks(const Dataset& data);

/// How unjudged documents, which have a negative label, are treated.
///   grade:     they stay, and their labels count as grades below 0
///   bad:       label 0, as measures take them
///   drop:      they are left out, and with them queries that have no others
///   automatic: bad where -1 must mean it, since labels are whole numbers and none is below -1; else grade
enum class Unjudged { grade, bad, drop, automatic };
Unjudged parse_unjudged(std::string_view name);  // a name of unjudged_catalog(), else throws Error(unknown_name)
std::string_view name_of(Unjudged rule);
std::span<const CatalogEntry> unjudged_catalog();

/// What `automatic` means for these labels; other rules as they are.
Unjudged settle_unjudged(Unjudged rule, std::span<const float> labels);

/// The data under the rule; shares the features unless documents are left out, and source rows are then renumbered.
/// `changed` becomes the number of documents with another label or left out. Throws Error(bad_input) when none is left.
Dataset with_unjudged(const Dataset& data, Unjudged rule, std::size_t* changed = nullptr);

/// Which shard a query belongs to, by its id alone: the XXH3 hash of 64 bits modulo the number of shards, so that it is
/// the same on every machine. Throws Error(bad_option) for 0 shards, or more than 32 bits can number.
std::uint32_t shard_of(std::string_view query_id, std::size_t num_shards);

/// The same data in an order that does not depend on that of its input: queries by id (bytes); documents of a query by
/// document id (bytes) where there are ids, then by features (column by column), label and group, each ascending: where
/// scores tie, the order says nothing of labels unless the documents are alike. source_row() stays true. Where the
/// documents are in this order already, the features are shared, else copied. Throws Error(unsupported) for scaled data
/// in compressed form.
Dataset in_canonical_order(const Dataset& data, std::size_t threads = 1);

/// The queries of each shard in their order in the data, perhaps none: selections of the data.
std::vector<Dataset> queries_of_shards(const Dataset& data, std::size_t num_shards);

/// The data of each shard in canonical order, perhaps without queries: selections of one block, which is that of
/// in_canonical_order().
std::vector<Dataset> split_into_shards(const Dataset& data, std::size_t num_shards, std::size_t threads = 1);

/// k disjoint parts of the queries, sizes differing by at most one, shuffled by the seed. Returns the query indices.
std::vector<std::vector<std::size_t>> folds(const Dataset& data, std::size_t k, std::uint64_t seed);

}  // namespace dorm

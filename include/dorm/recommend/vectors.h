// SPDX-License-Identifier: Apache-2.0
// Vectors of users and items for databases that search by inner product: the best items of a user are those of the
// largest inner products with the vector of the user.
#pragma once

#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/recommend/recommender.h"

namespace dorm {

/// Rows of `width` numbers, in float32 as databases store them.
struct RecommenderVectors {
  std::size_t width = 0;
  std::vector<float> users, items;
};

/// Of a factorization: its rows, the offset of an item behind them against 1 of the user. Of a model of events: the
/// factors of ALS. Throws Error(unsupported) by name for what has no vectors: joint kernels, and EASE in a model of
/// events, unless `als_alone` leaves it out.
RecommenderVectors vectors_of(const FactorModel& model, bool als_alone = false);
RecommenderVectors vectors_of(const ImplicitModel& model, bool als_alone = false);
RecommenderVectors vectors_of(const JointModel& model, bool als_alone = false);

/// npz, pgvector, elasticsearch.
std::span<const CatalogEntry> vector_targets();
/// `name` begins the names of tables or indices: letters, digits and underscores. Throws Error(unknown_name) for a
/// target, Error(bad_option) for a name, and Error(unsupported) where the target cannot take the vectors.
void write_vectors(const Recommending& model, const RecommenderVectors& vectors, const std::string& target,
                   const std::string& name, std::ostream& out);

/// What exact search over the vectors finds, beside the lists of the model, over all users.
struct VectorCheck {
  std::size_t users = 0, changed = 0;  // users whose first n items are others or in another order
  double shared = 0;                   // mean share of the first n items that both have
};
VectorCheck check_vectors(const Recommending& model, const RecommenderVectors& vectors, std::size_t n,
                          std::size_t threads = 0);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Items that the same people rate are neighbours. Their graph enters as fixed features of the items: the leading
// eigenvectors of the co-rating matrix G_ij = |R(i) and R(j)| / sqrt(|R(i)| |R(j)|).
#pragma once

#include "base/parallel.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

/// One row of `count` features per item, of unit length (0 for items without ratings). The first eigenvector, which is
/// popularity, is left out; each of the others is scaled by the root of its eigenvalue. Fewer columns are filled where
/// there are fewer items.
FactorMatrix neighbour_features(const Ratings& ratings, std::size_t count, std::uint64_t seed, ThreadPool& pool);

}  // namespace dorm

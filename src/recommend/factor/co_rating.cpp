// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/co_rating.h"

#include <algorithm>
#include <cmath>

#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

double inverse_root(std::size_t count) { return count > 0 ? 1 / std::sqrt(static_cast<double>(count)) : 0; }

// out = own_scale * sum of scale_i row_i over the neighbours i.
void gather(std::span<const std::uint32_t> neighbours, const FactorMatrix& rows, std::span<const double> scale,
            double own_scale, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (const std::uint32_t i : neighbours) axpy(own_scale * scale[i], rows.row(i), out);
}

// A row is too little work to ask the pool for each.
template <class Body>
void in_blocks(ThreadPool& pool, std::size_t count, Body body) {
  constexpr std::size_t kBlock = 32;
  pool.run((count + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t) {
    for (std::size_t r = block * kBlock; r < std::min(count, (block + 1) * kBlock); ++r) body(r);
  });
}

}  // namespace

CoRating CoRating::by_user(const Ratings& ratings, ThreadPool& pool) {
  CoRating map(ratings, pool);
  for (std::size_t u = 0; u < ratings.num_users(); ++u) map.user_scale_[u] = inverse_root(ratings.of_user(u).size());
  return map;
}

CoRating CoRating::by_item(const Ratings& ratings, ThreadPool& pool) {
  CoRating map(ratings, pool);
  for (std::size_t j = 0; j < ratings.num_items(); ++j) map.item_scale_[j] = inverse_root(ratings.of_item(j).size());
  return map;
}

void CoRating::to_users(const FactorMatrix& items, FactorMatrix& users) const {
  in_blocks(pool_, ratings_.num_users(), [&](std::size_t u) {
    gather(ratings_.of_user(u).index, items, item_scale_, user_scale_[u], users.row(u));
  });
}

void CoRating::to_items(const FactorMatrix& users, FactorMatrix& items) const {
  in_blocks(pool_, ratings_.num_items(), [&](std::size_t j) {
    gather(ratings_.of_item(j).index, users, user_scale_, item_scale_[j], items.row(j));
  });
}

std::vector<double> CoRating::item_norms() const {
  std::vector<double> norms(ratings_.num_items(), 0.0);
  for (std::size_t j = 0; j < norms.size(); ++j)
    for (const std::uint32_t u : ratings_.of_item(j).index)
      norms[j] += user_scale_[u] * user_scale_[u] * item_scale_[j] * item_scale_[j];
  return norms;
}

}  // namespace dorm

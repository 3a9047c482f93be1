// SPDX-License-Identifier: Apache-2.0
// Which users have rated which items, whatever the rating, as a linear map: M has an entry for each rating.
#pragma once

#include <vector>

#include "base/parallel.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

/// M_uj = scale_u scale_j where user u has rated item j, else 0. Products run in parallel over the rows of the result
/// and do not depend on the number of threads. Borrows the ratings.
class CoRating {
 public:
  /// Rows of unit length: scale_u = |N(u)|^-1/2, scale_j = 1.
  static CoRating by_user(const Ratings& ratings, ThreadPool& pool);
  /// Columns of unit length: scale_u = 1, scale_j = |R(j)|^-1/2.
  static CoRating by_item(const Ratings& ratings, ThreadPool& pool);

  /// users = M items.
  void to_users(const FactorMatrix& items, FactorMatrix& users) const;
  /// items = M' users.
  void to_items(const FactorMatrix& users, FactorMatrix& items) const;
  /// The diagonal of M'M.
  std::vector<double> item_norms() const;

 private:
  CoRating(const Ratings& ratings, ThreadPool& pool)
      : ratings_(ratings), pool_(pool), user_scale_(ratings.num_users(), 1), item_scale_(ratings.num_items(), 1) {}

  const Ratings& ratings_;
  ThreadPool& pool_;
  std::vector<double> user_scale_, item_scale_;
};

}  // namespace dorm

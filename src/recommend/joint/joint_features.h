// SPDX-License-Identifier: Apache-2.0
// The representation of (user, item) pairs under a joint kernel. Every user with ratings is a query. K is never formed:
// the coefficients of one user's items are multiplied by K_I once, and for each user by one number,
//
//     g(v, j) += K_U(u, v) sum_i K_I(j, i) beta(u, i).
#pragma once

#include "dorm/recommend/joint.h"
#include "model/features/expansion_space.h"

namespace dorm {

class JointFeatures final : public ExpansionSpace {
 public:
  /// Throws Error(bad_input) when there are no ratings, or more users or items than the kernel knows.
  JointFeatures(const JointKernel& kernel, const Ratings& ratings);

  const Dataset& data() const override { return data_; }
  /// The pairs behind the coefficients of weights, without those whose coefficient is 0.
  JointRanker ranker(std::span<const double> w) const;

  using ExpansionSpace::inner;
  double inner(const Plane& x, const Plane& y) const override;
  double centred_norm(std::size_t threads) const override;

 private:
  std::size_t query_of(std::size_t document) const override { return query_of_[document]; }
  void add_documents(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                     std::span<double> w) const override;
  /// g += K of documents of one query with their coefficients.
  void add_query(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                 std::span<double> scores) const;

  Dataset data_;
  std::vector<std::uint32_t> users_, items_;       // the numbers of the kernel, by query and by local item
  std::vector<std::uint32_t> query_of_, item_of_;  // by document; items by local number
  Similarities user_alike_, item_alike_;           // of the users and items that have ratings
};

}  // namespace dorm

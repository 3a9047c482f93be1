// SPDX-License-Identifier: Apache-2.0
// Implicit feedback: which items a user has rated, whatever the ratings, says something about the user. The learnt
// coordinates of user u except the bias have the prior mean
//
//   c_u = |N(u)|^-1/2 sum over the items j of N(u) of Y_j
//
// instead of 0; Y is learnt with the squared-loss start. This is the extra term of SVD++, written as a prior.
#pragma once

#include "base/parallel.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

/// Writes the prior mean of a user's learnt coordinates: 0 where the model has no table Y.
void prior_mean(const FactorModel& model, std::span<const std::uint32_t> rated, std::span<double> out);

/// Steps of conjugate gradients on sum_u |U_u - c_u|^2 + ridge |Y|^2 from the present table.
void improve_implicit(FactorModel& model, const Ratings& ratings, ThreadPool& pool, std::size_t steps);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The distribution functions behind the significance tests. Only distributions.cpp sees Boost.
#pragma once

#include <cstdint>

namespace dorm {

/// P(|T| >= |t|) for Student's t with `freedom` >= 1 degrees of freedom.
double student_two_sided(double t, double freedom);

/// P(T >= t).
double student_above(double t, double freedom);

/// P(|X| >= |x|) for X standard normal.
double normal_two_sided(double x);

/// P(X <= k) for X binomial(n, 1/2).
double fair_coin_at_most(std::uint64_t k, std::uint64_t n);

/// P(X <= k) for X binomial(n, share), share between 0 and 1.
double binomial_at_most(std::uint64_t k, std::uint64_t n, double share);

/// The x with P(X <= x) = p for X standard normal, 0 < p < 1.
double normal_quantile(double p);

}  // namespace dorm

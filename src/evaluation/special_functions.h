// SPDX-License-Identifier: Apache-2.0
// The distribution functions behind the significance tests.
#pragma once

#include <cstdint>

namespace dorm {

/// Regularised incomplete beta function I_x(a, b), a, b > 0, x in [0, 1].
double incomplete_beta(double a, double b, double x);

/// P(|T| >= |t|) for Student's t with `freedom` >= 1 degrees of freedom.
double student_two_sided(double t, double freedom);

/// P(X <= k) for X binomial(n, 1/2).
double fair_coin_at_most(std::uint64_t k, std::uint64_t n);

}  // namespace dorm

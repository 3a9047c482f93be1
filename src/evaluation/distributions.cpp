// SPDX-License-Identifier: Apache-2.0
#include "evaluation/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace dorm {
namespace {

namespace math = boost::math;
using math::policies::ignore_error;

// Arguments outside the domain give NaN, not an exception of Boost's. No promotion to long double, whose length depends
// on the platform.
using Quiet =
    math::policies::policy<math::policies::domain_error<ignore_error>, math::policies::overflow_error<ignore_error>,
                           math::policies::evaluation_error<ignore_error>, math::policies::promote_double<false>>;

}  // namespace

double student_two_sided(double t, double freedom) {
  if (std::isinf(t)) return 0;
  return 2 * math::cdf(math::complement(math::students_t_distribution<double, Quiet>(freedom), std::abs(t)));
}

double student_above(double t, double freedom) {
  const double tail = student_two_sided(t, freedom) / 2;
  return t >= 0 ? tail : 1 - tail;
}

double normal_two_sided(double x) { return std::erfc(std::abs(x) / std::sqrt(2.0)); }

double fair_coin_at_most(std::uint64_t k, std::uint64_t n) { return binomial_at_most(k, n, 0.5); }

double binomial_at_most(std::uint64_t k, std::uint64_t n, double share) {
  if (k >= n) return 1;
  return math::cdf(math::binomial_distribution<double, Quiet>(static_cast<double>(n), share), static_cast<double>(k));
}

double normal_quantile(double p) { return math::quantile(math::normal_distribution<double, Quiet>(), p); }

}  // namespace dorm

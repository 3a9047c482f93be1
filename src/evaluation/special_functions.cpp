// SPDX-License-Identifier: Apache-2.0
#include "evaluation/special_functions.h"

#include <cmath>
#include <numbers>

namespace dorm {
namespace {

// log Gamma without the sign the C library keeps in a global variable: Lanczos' series (g = 7, 9 terms), about 1e-15
// relative for x >= 1/2.
double log_gamma(double x) {
  constexpr double kTerms[] = {0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
                               771.32342877765313,   -176.61502916214059,   12.507343278686905,
                               -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  double series = kTerms[0];
  for (int i = 1; i < 9; ++i) series += kTerms[i] / (x - 1 + i);
  const double t = x + 6.5;
  return 0.5 * std::log(2 * std::numbers::pi) + (x - 0.5) * std::log(t) - t + std::log(series);
}

// The continued fraction of I_x(a, b), by Lentz's method; converges fast for x < (a + 1) / (a + b + 2), in about
// sqrt(max(a, b)) steps.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double freedom) {
  if (std::isinf(t)) return 0;
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double fair_coin_at_most(std::uint64_t k, std::uint64_t n) {
  if (k >= n) return 1;
  return incomplete_beta(static_cast<double>(n - k), static_cast<double>(k + 1), 0.5);
}

}  // namespace dorm

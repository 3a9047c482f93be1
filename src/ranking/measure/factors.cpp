// SPDX-License-Identifier: Apache-2.0
// Values of rankings from factors: strict, expected over ties, and ideal.
#include <algorithm>
#include <functional>
#include <numeric>

#include "base/numeric.h"
#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

// First document with b = 1: over the orders of a block of t documents of which r have b = 1, the first of them stands
// at offset k with probability p(0) = r / t, p(k + 1) = p(k) (t - k - r) / (t - k - 1).
double expected_first(const Factors& factors, std::size_t begin, std::size_t end, double relevant) {
  const double size = real(end - begin);
  double probability = relevant / size, sum = 0;
  for (std::size_t j = begin; j < end && probability > 0; ++j) {
    const double k = real(j - begin);
    sum += probability * factors.a[j];
    if (k + 1 < size) probability *= (size - k - relevant) / (size - k - 1);
  }
  return sum;
}

}  // namespace

double value(const Factors& factors, std::span<const std::uint32_t> ranking) {
  return expected_value(factors, TiedRanking{ranking});
}

double expected_value(const Factors& factors, const TiedRanking& ranking) {
  double total = 0;
  bool found = false;  // kind first: a document with b = 1 stands above
  for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
    if (found) return;
    double b = 0;
    for (std::size_t j = begin; j < end; ++j) b += factors.b[ranking.documents[j]];
    if (b == 0) return;
    if (factors.kind == Factors::Kind::first) {
      found = true;
      total = expected_first(factors, begin, end, b);
      return;
    }
    const double a = std::accumulate(factors.a.begin() + begin, factors.a.begin() + end, 0.0);
    total += end - begin == 1 ? a * b : a / real(end - begin) * b;
  });
  return total;
}

double ideal_value(const Factors& factors) {
  const auto first_zero = std::find(factors.a.begin(), factors.a.end(), 0.0);
  const auto counted = static_cast<std::size_t>(first_zero - factors.a.begin());
  std::vector<double> b = factors.b;
  const auto middle = b.begin() + static_cast<std::ptrdiff_t>(counted);
  std::nth_element(b.begin(), middle, b.end(), std::greater<>());
  std::sort(b.begin(), middle, std::greater<>());
  if (factors.kind == Factors::Kind::first) return counted == 0 ? 0 : factors.a[0] * b[0];
  return std::inner_product(factors.a.begin(), first_zero, b.begin(), 0.0);
}

std::optional<double> FactoredMeasure::expected(Labels labels, const TiedRanking& ranking) const {
  const Factors factors = factor(labels);
  const bool nothing = std::all_of(factors.b.begin(), factors.b.end(), [](double b) { return b == 0; });
  if (nothing) return std::nullopt;
  return expected_value(factors, ranking);
}

std::vector<double> gains_by_position(const Factors& factors, std::size_t n) {
  if (factors.kind != Factors::Kind::sum)
    throw Error(ErrorCode::unsupported,
                "a measure that counts the first relevant document only has no gains by position; expected a sum such "
                "as ndcg@10");
  std::vector<double> gains(factors.b.size() * n, 0.0);
  for (std::size_t i = 0; i < factors.b.size(); ++i)
    for (std::size_t j = 0; j < std::min(n, factors.a.size()); ++j) gains[i * n + j] = factors.a[j] * factors.b[i];
  return gains;
}

}  // namespace dorm

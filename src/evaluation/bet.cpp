// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bet.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/numeric.h"

namespace dorm {
namespace {

// Shares of what may be staked without the risk of ruin; a mixture does nearly as well as the best of them.
constexpr std::array kStakes = {0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99};
constexpr double kRounding = 1e-9;  // of the width of a term: rounding

}  // namespace

std::optional<std::size_t> larger_sum(std::span<const DrawnTerm> terms, std::size_t drawn, double sum, double limit) {
  std::vector<double> low(terms.size() + 1, 0.0), width(terms.size() + 1, 0.0);  // of the terms from this one on
  for (std::size_t i = terms.size(); i-- > 0;) {
    low[i] = low[i + 1] + terms[i].low;
    width[i] = width[i + 1] + (terms[i].high - terms[i].low);
  }
  std::array<double, kStakes.size()> wealth;
  wealth.fill(1);
  double known = 0;
  for (std::size_t i = 0; i <= drawn; ++i) {
    const double rest = sum - known - low[i];   // the most that the terms left may hold beyond their least
    if (rest < -kRounding) return i;            // more is certain
    if (i == drawn || rest >= width[i]) break;  // the latter: at most `sum` is certain
    const double expected = std::max(rest, kRounding) / width[i];
    const double share = std::clamp((terms[i].value - terms[i].low) / (terms[i].high - terms[i].low), 0.0, 1.0);
    double total = 0;
    for (std::size_t k = 0; k < kStakes.size(); ++k) {
      wealth[k] *= 1 + kStakes[k] * (share / expected - 1);
      total += wealth[k];
    }
    if (total >= limit * real(kStakes.size())) return i + 1;
    known += terms[i].value;
  }
  return std::nullopt;
}

}  // namespace dorm

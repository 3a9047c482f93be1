// SPDX-License-Identifier: Apache-2.0
// Names of tests and corrections, and what follows from a paired test.
#include "dorm/evaluation/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/numeric.h"
#include "dorm/error.h"
#include "evaluation/bootstrap.h"
#include "evaluation/distributions.h"

namespace dorm {
namespace {

// clang-format off
constexpr std::array<CatalogEntry, 5> kTests = {{
    {.name = "permutation", .usage = "permutation", .help = "random signs of the differences; all of them for at most 16 queries"},
    {.name = "t", .usage = "t", .help = "Student's paired t test"},
    {.name = "wilcoxon", .usage = "wilcoxon", .help = "signed ranks, equal values left out; exact for at most 50 queries"},
    {.name = "sign", .usage = "sign", .help = "wins against losses, equal values left out"},
    {.name = "tukey", .usage = "tukey", .help = "randomised Tukey HSD: all pairs of rankers at once, so that no correction is needed"},
}};
constexpr std::array<CatalogEntry, 3> kCorrections = {{
    {.name = "holm", .usage = "holm", .help = "Holm: any false star has a probability below the level"},
    {.name = "bh", .usage = "bh", .help = "Benjamini and Hochberg: the expected share of false stars among the stars is below the level"},
    {.name = "none", .usage = "none", .help = "each test for itself"},
}};
// clang-format on

void require_name(std::string_view kind, const std::string& name, std::span<const CatalogEntry> known) {
  if (std::none_of(known.begin(), known.end(), [&](const CatalogEntry& entry) { return entry.name == name; }))
    throw_unknown_name(kind, name, known);
}

std::vector<std::size_t> in_order(const std::vector<double>& p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::span<const CatalogEntry> difference_test_catalog() { return kTests; }
std::span<const CatalogEntry> correction_catalog() { return kCorrections; }

void check(const TestOptions& options) {
  require_name("test", options.test, kTests);
  require_name("correction", options.correction, kCorrections);
  if (!(options.same_within >= 0 && std::isfinite(options.same_within)))
    throw Error(ErrorCode::bad_option,
                fmt::format("same within {}; expected a finite number above 0", options.same_within));
}

DifferenceSize size_of_difference(std::span<const double> a, std::span<const double> b,
                                  std::span<const double> weights) {
  DifferenceSize result;
  std::vector<double> differences, weight;
  for (std::size_t q = 0; q < a.size(); ++q) {
    if (std::isnan(a[q]) || std::isnan(b[q])) continue;
    differences.push_back(a[q] - b[q]);
    weight.push_back(weights.empty() ? 1.0 : weights[q]);
  }
  result.queries = differences.size();
  result.mean = weighted_mean(differences, weight);
  if (result.queries > 1) {
    double squares = 0, total = 0;
    for (std::size_t q = 0; q < result.queries; ++q) {
      const double moved = weight[q] * (differences[q] - result.mean);
      squares += moved * moved;
      total += weight[q];
    }
    const double n = real(result.queries), deviation = std::sqrt(squares / (n - 1)) / (total / n);
    result.standard_error = deviation / std::sqrt(n);
    if (deviation > 0) result.effect = result.mean / deviation;
  }
  result.queries_needed = queries_needed(result.effect);
  std::erase(differences, 0.0);
  result.p_wilcoxon = signed_rank_test(differences);
  result.rank_effect = signed_rank_share(differences);
  return result;
}

double p_not_same(const DifferenceSize& difference, double within) {
  if (difference.queries < 2) return 1;
  const double freedom = real(difference.queries) - 1;
  if (difference.standard_error == 0) return std::abs(difference.mean) < within ? 0 : 1;
  const double below = student_above((within - difference.mean) / difference.standard_error, freedom);
  const double above = student_above((within + difference.mean) / difference.standard_error, freedom);
  return std::max(below, above);
}

// The normal approximation, with the usual term for the unknown variance.
double queries_needed(double effect) {
  constexpr double kLevel = 0.05, kPower = 0.8;
  if (effect == 0) return std::numeric_limits<double>::infinity();
  const double z = normal_quantile(1 - kLevel / 2), sum = z + normal_quantile(kPower);
  return std::max(3.0, std::ceil(sum * sum / (effect * effect) + z * z / 2));
}

std::vector<double> benjamini_hochberg(std::vector<double> p) {
  const std::vector<std::size_t> order = in_order(p);
  double least = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    least = std::min(least, p[order[k]] * real(order.size()) / real(k + 1));
    p[order[k]] = least;
  }
  return p;
}

}  // namespace dorm

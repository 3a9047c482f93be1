// SPDX-License-Identifier: Apache-2.0
// Differences of rankers over queries: tests by name, corrections for their number, effect sizes, equivalence, power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/evaluate.h"

namespace dorm {

/// How differences of several rankers are tested.
struct TestOptions {
  std::string test = "permutation";  // of difference_test_catalog()
  std::string correction = "holm";   // of correction_catalog(); the test tukey needs none
  bool over_measures = false;        // the tests of all measures are one family, not those of each measure
  bool all_pairs = false;            // test every pair, not only those with the reference
  double same_within = 0;            // above 0: whether the means differ by less than this, too

  bool operator==(const TestOptions&) const = default;
};

std::span<const CatalogEntry> difference_test_catalog();
std::span<const CatalogEntry> correction_catalog();
/// Throws Error(unknown_name) or Error(bad_option).
void check(const TestOptions& options);

/// What a paired test leaves out.
struct DifferenceSize {
  std::size_t queries = 0;
  double mean = 0, standard_error = 0;  // of the difference
  double p_wilcoxon = 1;                // signed ranks, two-sided, equal values left out; exact for at most 50
  double effect = 0;                    // Cohen's d: mean over standard deviation; 0 when all are alike
  double rank_effect = 0;               // from -1 to 1: matched-pairs rank-biserial correlation
  double queries_needed = 0;            // see queries_needed()
};
/// As compare(): of a - b, over the queries both have a value for.
DifferenceSize size_of_difference(std::span<const double> a, std::span<const double> b,
                                  std::span<const double> weights = {});

/// p-value of "the means differ by `within` or more": two one-sided t tests. 1 for fewer than two queries.
double p_not_same(const DifferenceSize& difference, double within);

/// Queries with which a two-sided t test at 5 % finds a difference of this effect with a probability of 80 %: infinite
/// for none.
double queries_needed(double effect);

/// Wilcoxon's test of differences that are not 0, two-sided: exact for at most 50, also with equal ranks, else by the
/// normal approximation without correction for continuity.
double signed_rank_test(std::span<const double> differences);
/// (sum of the ranks of positive differences - that of negative ones) / sum of all; 0 for none.
double signed_rank_share(std::span<const double> differences);

/// Randomised Tukey HSD (Carterette 2012): for every pair of columns, row-major, the probability that two of them
/// differ so much when all columns are alike, by 10,000 shuffles of the values of each query. Queries with a NaN are
/// left out. It holds for all pairs at once.
std::vector<double> tukey_test(const std::vector<std::span<const double>>& columns, std::span<const double> weights,
                               std::uint64_t seed, std::size_t threads);

/// As holm(), by Benjamini and Hochberg 1995: the expected share of false ones among those below the level.
std::vector<double> benjamini_hochberg(std::vector<double> p);

/// Rankers, and the differences of each row to the reference by measure.
struct TestedRankers {
  RankerTable table;
  TestOptions how = {};
  std::vector<std::vector<DifferenceSize>> sizes = {};      // [row][measure]
  std::vector<std::vector<double>> p = {}, corrected = {};  // [row][measure]: of the chosen test; NaN: the reference
  std::vector<std::vector<double>> pairs = {};  // with all_pairs [measure]: corrected p of rows i and j, row-major
};
/// As compare_rankers(), with the chosen test.
TestedRankers test_rankers(std::vector<RankerRow> rows, std::size_t reference, const EvaluateOptions& options,
                           const TestOptions& how);

}  // namespace dorm

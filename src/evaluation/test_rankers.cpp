// SPDX-License-Identifier: Apache-2.0
// Many rankers on the same queries, tested as the options say.
#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/evaluation/difference.h"

namespace dorm {
namespace {

double p_value(const PairedTest& test, const DifferenceSize& size, std::string_view name) {
  if (name == "t") return test.p_t;
  if (name == "sign") return test.p_sign;
  return name == "wilcoxon" ? size.p_wilcoxon : test.p_permutation;
}

std::vector<double> corrected_by(std::string_view correction, std::vector<double> p) {
  if (correction == "none") return p;
  return correction == "bh" ? benjamini_hochberg(std::move(p)) : holm(std::move(p));
}

constexpr std::string_view kTukey = "tukey";

std::vector<std::span<const double>> columns_of(const RankerTable& table, std::size_t m) {
  std::vector<std::span<const double>> columns;
  for (const RankerRow& row : table.rows) columns.emplace_back(row.table.measures[m].per_query);
  return columns;
}

// By measure: the p-value of each pair of rows, row-major, NaN on the diagonal.
std::vector<std::vector<double>> p_of_pairs(const RankerTable& table, const EvaluateOptions& options,
                                            const TestOptions& how) {
  const std::size_t measures = table.rows.front().table.measures.size(), count = table.rows.size();
  const std::vector<double>& weights = table.rows[table.reference].table.weights;
  std::vector<std::vector<double>> pairs(measures, std::vector<double>(count * count, kNaN));
  if (how.test == kTukey) {
    for (std::size_t m = 0; m < measures; ++m)
      pairs[m] = tukey_test(columns_of(table, m), weights, options.seed, options.threads);
    return pairs;
  }
  EvaluateOptions alone = options;
  alone.threads = 1;
  alone.bootstrap = 0;
  parallel_for(measures * count, options.threads, [&](std::size_t k, std::size_t) {
    const std::size_t m = k / count, i = k % count;
    const std::vector<std::span<const double>> columns = columns_of(table, m);
    for (std::size_t j = 0; j < i; ++j)
      pairs[m][i * count + j] = pairs[m][j * count + i] =
          p_value(compare(columns[i], columns[j], alone, weights), size_of_difference(columns[i], columns[j], weights),
                  how.test);
  });
  return pairs;
}

// The p-values of each list are one family, or all together.
void correct_families(std::vector<std::vector<double>>& families, const TestOptions& how) {
  if (how.test == kTukey && !how.over_measures) return;  // holds for all pairs at once
  if (!how.over_measures) {
    for (std::vector<double>& family : families) family = corrected_by(how.correction, std::move(family));
    return;
  }
  std::vector<double> all;
  for (const std::vector<double>& family : families) all.insert(all.end(), family.begin(), family.end());
  all = corrected_by(how.correction, std::move(all));
  auto next = all.begin();
  for (std::vector<double>& family : families)
    for (double& p : family) p = *next++;
}

// Each pair is one test, although a matrix shows it twice.
std::vector<std::vector<double>> corrected_pairs(const std::vector<std::vector<double>>& pairs, std::size_t count,
                                                 const TestOptions& how) {
  std::vector<std::vector<double>> families(pairs.size());
  for (std::size_t m = 0; m < pairs.size(); ++m)
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) families[m].push_back(pairs[m][i * count + j]);
  correct_families(families, how);
  std::vector<std::vector<double>> result(pairs.size(), std::vector<double>(count * count, kNaN));
  for (std::size_t m = 0; m < pairs.size(); ++m) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) result[m][i * count + j] = result[m][j * count + i] = families[m][next++];
  }
  return result;
}

}  // namespace

TestedRankers test_rankers(std::vector<RankerRow> rows, std::size_t reference, const EvaluateOptions& options,
                           const TestOptions& how) {
  check(how);
  TestedRankers result{compare_rankers(std::move(rows), reference, options), how};
  const RankerTable& table = result.table;
  const RankerRow& other = table.rows[reference];
  const std::size_t measures = other.table.measures.size(), count = table.rows.size();
  const bool of_pairs = how.all_pairs || how.test == kTukey;
  const auto pairs = of_pairs ? p_of_pairs(table, options, how) : std::vector<std::vector<double>>();
  std::vector<std::vector<double>> families(measures, std::vector<double>(count, kNaN));
  result.p.assign(count, std::vector<double>(measures, kNaN));
  result.corrected = result.p;
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t m = 0; m < measures; ++m) {
      const RankerRow& row = table.rows[r];
      if (m == 0) result.sizes.emplace_back();
      result.sizes[r].push_back(
          size_of_difference(row.table.measures[m].per_query, other.table.measures[m].per_query, other.table.weights));
      if (r == reference) continue;
      families[m][r] = result.p[r][m] =
          how.test == kTukey ? pairs[m][r * count + reference] : p_value(row.tests[m], result.sizes[r][m], how.test);
    }
  correct_families(families, how);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t m = 0; m < measures; ++m) result.corrected[r][m] = families[m][r];
  if (how.all_pairs) result.pairs = corrected_pairs(pairs, count, how);
  return result;
}

}  // namespace dorm

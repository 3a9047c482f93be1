// SPDX-License-Identifier: Apache-2.0
#include "lab/compare/figures.h"

#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "base/parallel.h"
#include "evaluation/bootstrap.h"

namespace dorm {
namespace {

ComparisonFigure* reference_of(std::vector<ComparisonRow>& rows, const std::string& against, std::size_t measure) {
  ComparisonFigure* reference = nullptr;
  for (ComparisonRow& row : rows) {
    if (row.figures.empty()) continue;
    ComparisonFigure& candidate = row.figures[measure];
    const bool better = !reference || candidate.result.mean > reference->result.mean;
    if (against.empty() ? better : row.method == against) reference = &candidate;
  }
  return reference;
}

}  // namespace

void finish_result(const std::string& measure, std::span<const double> weights, std::uint64_t seed,
                   MeasureResult& result) {
  result.name = measure;
  result.mean = weighted_mean(result.per_query, weights);
  result.skipped = static_cast<std::size_t>(
      std::count_if(result.per_query.begin(), result.per_query.end(), [](double x) { return std::isnan(x); }));
  result.queries = result.per_query.size() - result.skipped;
  const std::span<const double> column(result.per_query);
  const Interval interval = bootstrap(std::span(&column, 1), weights, {.seed = seed, .threads = 1})[0];
  result.low = interval.low;
  result.high = interval.high;
}

void test_rows(std::vector<ComparisonRow>& rows, const std::string& against, std::uint64_t seed, std::size_t threads) {
  std::size_t measures = 0;
  for (const ComparisonRow& row : rows) measures = std::max(measures, row.figures.size());
  for (std::size_t m = 0; m < measures; ++m) {
    ComparisonFigure* const reference = reference_of(rows, against, m);
    if (!reference) continue;
    reference->reference = true;
    std::vector<double> p(rows.size(), kNaN);
    parallel_for(rows.size(), threads, [&](std::size_t r, std::size_t) {
      if (rows[r].figures.empty() || &rows[r].figures[m] == reference) return;
      ComparisonFigure& own = rows[r].figures[m];
      own.test = compare(own.result.per_query, reference->result.per_query, {.seed = seed, .threads = 1});
      p[r] = own.test.p_permutation;
    });
    p = holm(std::move(p));
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (!rows[r].figures.empty()) rows[r].figures[m].p_holm = p[r];
  }
}

}  // namespace dorm

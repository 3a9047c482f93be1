// SPDX-License-Identifier: Apache-2.0
#include "lab/compare/figures.h"

#include <fmt/format.h>

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

const MeasureResult* figure_of(const std::vector<ComparisonRow>& rows, std::string_view method) {
  for (const ComparisonRow& row : rows)
    if (row.method == method && !row.figures.empty()) return &row.figures.front().result;
  return nullptr;
}

ValidatedFigure validated(const MeasureResult& result) {
  return {.mean = result.mean, .low = result.low, .high = result.high, .queries = result.queries};
}

std::string interval_text(const PairedTest& test) {
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", test.mean_difference, test.low, test.high);
}

/// What a sum of curves, one per feature, does of it: `curves` less linear rankers, and both beyond curves.
std::string curves_text(const TreesWorth& worth, double mean, const PairedTest& curves, const PairedTest& beyond) {
  if (worth.low > 0 && beyond.low > 0)
    return fmt::format("interactions, not curves: {} beyond one curve per feature, {:.4f}", interval_text(beyond),
                       mean);
  if (worth.low > 0) return fmt::format("one curve per feature may do: {:.4f}, trees {}", mean, interval_text(beyond));
  if (curves.low > 0) return fmt::format("one curve per feature is worth {}", interval_text(curves));
  return "";
}

std::string brought_text(const std::string& name, const PairedTest& test, const MeasureResult& linear) {
  const std::string figures = fmt::format("{} {} over tune, {:.4f}", interval_text(test), linear.name, linear.mean);
  if (test.low > 0) return fmt::format("{} is worth {}", name, figures);
  if (test.high < 0) return fmt::format("a linear model is better: {} has {}", name, figures);
  return fmt::format("a linear model may do: {} is not shown to be worth anything, {}", name, figures);
}

}  // namespace

std::vector<ComparedTrees> worth_of_trees(const std::vector<ComparisonRow>& rows, std::span<const std::string> brought,
                                          std::span<const double> weights, std::uint64_t seed) {
  std::vector<ComparedTrees> out;
  const MeasureResult* const linear = figure_of(rows, "tune");
  if (!linear) return out;
  const auto less = [&](const MeasureResult& a, const MeasureResult& b) {
    return compare(a.per_query, b.per_query, {.seed = seed, .threads = 1}, weights);
  };
  const auto add = [&](const MeasureResult& trees, const PairedTest& test) {
    out.push_back({.size = rows.front().size,
                   .worth = {validated(*linear), validated(trees), test.mean_difference, test.low, test.high},
                   .text = {}});
  };
  const MeasureResult* const trees = figure_of(rows, "tune:trees");
  if (const MeasureResult* const both = figure_of(rows, "tune:both"); trees && both) {
    add(*trees, less(*both, *linear));
    out.back().text = worth_text(out.back().worth, both->name);
    if (const MeasureResult* const curves = figure_of(rows, "tune:curves")) {
      const std::string more =
          curves_text(out.back().worth, curves->mean, less(*curves, *linear), less(*both, *curves));
      if (!more.empty()) out.back().text += "; " + more;
    }
  }
  for (const std::string& name : brought) {
    const MeasureResult* const own = figure_of(rows, name);
    if (!own) continue;
    const PairedTest test = less(*own, *linear);
    add(*own, test);
    out.back().text = brought_text(name, test, *linear);
  }
  return out;
}

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

// SPDX-License-Identifier: Apache-2.0
// Many rankers on the same queries: paired tests against one of them, corrected for their number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"

namespace dorm {
namespace {

void require_alike(const RankerRow& row, const RankerRow& reference) {
  const auto names = [](const EvaluationTable& table) {
    std::vector<std::string_view> out;
    for (const MeasureResult& measure : table.measures) out.push_back(measure.name);
    return out;
  };
  if (names(row.table) != names(reference.table) || row.table.query_ids != reference.table.query_ids)
    throw Error(ErrorCode::bad_input, fmt::format("{} and {} were evaluated by other measures or on other queries; "
                                                  "expected the same of both",
                                                  row.name, reference.name));
}

}  // namespace

std::vector<double> holm(std::vector<double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - k) * p[order[k]]));
    p[order[k]] = largest;
  }
  return p;
}

std::string_view significance_stars(double p) {
  if (!(p < 0.05)) return "";
  return p < 0.001 ? "***" : p < 0.01 ? "**" : "*";
}

bool RankerTable::best(std::size_t row, std::size_t measure) const {
  const double own = rows[row].table.measures[measure].mean;
  return !std::isnan(own) && std::none_of(rows.begin(), rows.end(), [&](const RankerRow& other) {
    return other.table.measures[measure].mean > own;
  });
}

RankerTable compare_rankers(std::vector<RankerRow> rows, std::size_t reference, const EvaluateOptions& options) {
  if (reference >= rows.size())
    throw Error(ErrorCode::bad_option, fmt::format("ranker {} of {} as the reference", reference, rows.size()));
  RankerTable result{std::move(rows), reference};
  const RankerRow& other = result.rows[reference];
  const std::size_t measures = other.table.measures.size(), count = result.rows.size();
  for (RankerRow& row : result.rows) {
    require_alike(row, other);
    row.tests.resize(measures);
    row.p_holm.assign(measures, kNaN);
  }
  EvaluateOptions alone = options;
  alone.threads = 1;
  const std::uint64_t additions =
      std::uint64_t{count} * measures * other.table.query_ids.size() * options.bootstrap * 2;
  parallel_for(count * measures, threads_worth(options.threads, additions), [&](std::size_t k, std::size_t) {
    RankerRow& row = result.rows[k / measures];
    const std::size_t m = k % measures;
    row.tests[m] =
        compare(row.table.measures[m].per_query, other.table.measures[m].per_query, alone, other.table.weights);
    if (k / measures != reference) row.p_holm[m] = row.tests[m].p_permutation;
  });
  for (std::size_t m = 0; m < measures; ++m) {
    std::vector<double> p;
    for (const RankerRow& row : result.rows) p.push_back(row.p_holm[m]);
    p = holm(std::move(p));
    for (std::size_t r = 0; r < count; ++r) result.rows[r].p_holm[m] = p[r];
  }
  return result;
}

}  // namespace dorm

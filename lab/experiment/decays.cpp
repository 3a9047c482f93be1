// SPDX-License-Identifier: Apache-2.0
// The effect of the decay c on NDCG@10, by training set size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "lab/experiment/data_sets.h"
#include "lab/experiment/experiments.h"

namespace dorm {
namespace {

constexpr std::array<std::size_t, 4> kSizes = {50, 100, 200, 0};
constexpr std::array kDecays = {"power:0.25", "power:0.333", "power:0.5", "power:1",
                                "power:2",    "power:3",     "log",       "measure"};

/// Decays at these values of C, for every size; false when it was stopped.
bool compare_decays(std::span<const char* const> decays, std::vector<double> C, const std::string& data,
                    const std::vector<DataSplit>& splits, const Laboratory& laboratory, ExperimentResult& result) {
  ComparisonOptions options;
  for (const char* decay : decays) options.methods.push_back(fmt::format("dorm:ndcg@10~{}~best", decay));
  options.C = std::move(C);
  options.sizes.assign(kSizes.begin(), kSizes.end());
  options.sample_seed = laboratory.options.seed;
  return compare_on(data, splits, options, laboratory, result);
}

/// The methods of `more` among those of `whole`, size by size; their tests were not against the same row.
void add_methods(ComparisonResult& whole, const ComparisonResult& more) {
  for (const ComparisonRow& row : more.rows) {
    if (!row.method.starts_with("dorm:")) continue;
    const auto place = std::find_if(whole.rows.begin(), whole.rows.end(), [&](const ComparisonRow& own) {
      return own.size == row.size && !own.method.starts_with("dorm:");
    });
    for (ComparisonFigure& figure : whole.rows.insert(place, row)->figures) figure.reference = false;
  }
}

/// Largest minus smallest figure over the paper's decays (`measure` is not one of them), by size.
report::Table spread(const std::string& data, const ComparisonResult& result) {
  report::Table table{fmt::format("{}: largest difference between the paper's decays, NDCG@10 x 100", data),
                      report::text_columns({"training queries", "1/sqrt(m)", "difference"})};
  for (std::size_t size : kSizes) {
    double low = 1, high = 0;
    for (const ComparisonRow& row : result.rows) {
      if (row.size != size || !row.method.starts_with("dorm:") || row.method.find("~measure") != std::string::npos)
        continue;
      low = std::min(low, row.figures[0].result.mean);
      high = std::max(high, row.figures[0].result.mean);
    }
    const double m = static_cast<double>(size > 0 ? size : result.train_queries[0]);
    table.rows.push_back({fmt::format("{:.0f}", m), fmt::format("{:.4f}", 1 / std::sqrt(m)), percent(high - low)});
  }
  return table;
}

}  // namespace

ExperimentResult decay_effect(const Laboratory& laboratory) {
  ExperimentResult result;
  result.title = "The choice of c by training set size";
  result.paper =
      "The largest difference between decays falls with the number m of training queries, about as "
      "1/sqrt(m).";
  result.difference = "Other data, and the test set is the same at every m.";
  result.remarks = {
      "Nine decays, the bound `best`, C = 10 or 100, chosen on validation queries. loglog begins at 10.6 "
      "where the others begin below 1, which acts like a C a hundred times as large: it gets 0.1 or 1."};
  for (const std::string& data : web_sets(laboratory)) {
    const std::vector<DataSplit> splits = web_splits(laboratory.options.data_directory, data);
    const std::array steep = {"loglog"};
    if (!compare_decays(kDecays, {10, 100}, data, splits, laboratory, result) ||
        !compare_decays(steep, {0.1, 1}, data, splits, laboratory, result))
      return result;
    const ComparisonResult more = std::move(result.comparisons.back().second);
    result.comparisons.pop_back();
    ComparisonResult& comparison = result.comparisons.back().second;
    add_methods(comparison, more);
    result.tables.push_back(sizes_table(fmt::format("{}: NDCG@10 x 100", data), comparison, 0));
    result.tables.push_back(spread(data, comparison));
  }
  return result;
}

}  // namespace dorm

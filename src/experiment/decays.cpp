// SPDX-License-Identifier: Apache-2.0
// The effect of the decay c on NDCG@10, by training set size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiment/data_sets.h"
#include "experiment/experiments.h"

namespace dorm {
namespace {

constexpr std::array kDecays = {"power:0.25", "power:0.333", "power:0.5", "power:1", "power:2",
                                "power:3",    "log",         "loglog",    "measure"};

/// Largest minus smallest figure over the paper's decays (`measure` is not one of them), by size.
TextTable spread(const std::string& data, const ComparisonResult& result,
                 const std::vector<std::size_t>& sizes) {
  TextTable table{fmt::format("{}: largest difference between the paper's decays, NDCG@10 x 100", data),
                  {"training queries", "1/sqrt(m)", "difference"},
                  {}};
  for (std::size_t size : sizes) {
    double low = 1, high = 0;
    for (const ComparisonRow& row : result.rows) {
      if (row.size != size || !row.method.starts_with("dorm:") ||
          row.method.find("~measure") != std::string::npos)
        continue;
      low = std::min(low, row.figures[0].result.mean);
      high = std::max(high, row.figures[0].result.mean);
    }
    const double m = static_cast<double>(size > 0 ? size : result.train_queries[0]);
    table.rows.push_back(
        {fmt::format("{:.0f}", m), fmt::format("{:.4f}", 1 / std::sqrt(m)), percent(high - low)});
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
  result.difference =
      "The spread of nine noisy figures has a floor that more training queries do not lower: the test set is "
      "the same at every m.";
  result.remarks = {"Nine decays, the bound `best`, C = 10 or 100, chosen on validation queries."};
  for (const std::string& data : web_sets(laboratory)) {
    ComparisonOptions options;
    for (const char* decay : kDecays) options.methods.push_back(fmt::format("dorm:ndcg@10~{}~best", decay));
    options.C = {10, 100};
    options.sizes = {50, 100, 200, 0};
    if (!compare_on(data, web_splits(laboratory.options.data_directory, data), options, laboratory, result))
      return result;
    const ComparisonResult& comparison = result.comparisons.back().second;
    result.tables.push_back(sizes_table(fmt::format("{}: NDCG@10 x 100", data), comparison, 0));
    result.tables.push_back(spread(data, comparison, options.sizes));
  }
  return result;
}

}  // namespace dorm

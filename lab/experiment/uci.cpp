// SPDX-License-Identifier: Apache-2.0
// Table 1 of the paper: four UCI sets as ranking problems, NDCG@10.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lab/experiment/data_sets.h"
#include "lab/experiment/experiments.h"

namespace dorm {
namespace {

constexpr std::array kMethods = {"ridge",         "svr",    "svm",   "crammer-singer",       "ranksvm",     "roc-svm",
                                 "precision-svm", "ap-svm", "prank", "dorm:ndcg@10~power:1", "dorm:ndcg@10"};
constexpr const char* kReference = "dorm:ndcg@10~power:1";  // the paper's c = 1 / (i + 1)

struct PrintedUci {
  const char* data;
  const char *roc, *svm, *precision, *dorm;
};
constexpr std::array kPaperUci{PrintedUci{"page-blocks", "35.9 ± 7", "46.5 ± 7", "44.0 ± 7", "63.7 ± 6"},
                               PrintedUci{"pendigits", "26.2 ± 8", "41.5 ± 4", "15.6 ± 3", "85.2 ± 3"},
                               PrintedUci{"optdigits", "26.0 ± 9", "26.1 ± 3", "26.2 ± 3", "76.1 ± 6"},
                               PrintedUci{"covertype", "47.0 ± 2", "48.5 ± 2", "42.1 ± 1", "58.8 ± 2"}};

std::string printed(const PrintedUci& paper, std::string_view method) {
  if (method == "roc-svm") return paper.roc;
  if (method == "svm") return paper.svm;
  if (method == "precision-svm") return paper.precision;
  return method == kReference ? paper.dorm : "";
}

report::Table table_of(const PrintedUci& paper, const ComparisonResult& result) {
  report::Table table{fmt::format("{}: NDCG@10 x 100", paper.data),
                      report::text_columns({"method", "ours [95 % interval]", "paper", "p against DORM (t, Holm)"})};
  std::vector<double> p;
  for (const ComparisonRow& row : result.rows)
    p.push_back(row.figures.empty() || std::isnan(row.figures[0].p_holm) ? std::numeric_limits<double>::quiet_NaN()
                                                                         : row.figures[0].test.p_t);
  p = holm(std::move(p));
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    const ComparisonRow& row = result.rows[r];
    if (row.figures.empty()) continue;
    const MeasureResult& figure = row.figures[0].result;
    table.rows.push_back({row.method,
                          fmt::format("{} [{}, {}]", percent(figure.mean), percent(figure.low), percent(figure.high)),
                          printed(paper, row.method), report::p_value_text(p[r])});
  }
  return table;
}

}  // namespace

ExperimentResult uci_table(const Laboratory& laboratory) {
  ExperimentResult result;
  result.title = "UCI sets as ranking problems (Table 1)";
  result.paper =
      "DORM is the best on all four sets (p < 0.0001); traditional methods do poorly when NDCG is the "
      "measure.";
  result.difference =
      "The paper does not say what relevance is, how features are scaled, nor how many queries are tested "
      "on; its baselines depend on all three, and ours also on a C that was tuned for NDCG@10.";
  result.remarks = {
      "Queries of 100 documents drawn at random: 50 to train on (covertype 500), 50 to choose C, 100 to "
      "test, with no document in two of the three. The class index is the grade. Documents of the first "
      "class are the irrelevant ones of ROCArea and Precision@10.",
      "The paper's DORM is dorm:ndcg@10~power:1, c = 1/(i + 1). Its ± is not explained there; ours are "
      "bootstrap intervals over test queries."};
  for (const PrintedUci& paper : kPaperUci) require_data_set(laboratory.options.data_directory, paper.data);
  for (const PrintedUci& paper : kPaperUci) {
    ComparisonOptions options;
    options.methods.assign(kMethods.begin(), kMethods.end());
    options.against = kReference;
    options.scale = "none";  // features are divided by their largest value
    const std::vector<DataSplit> split = {
        uci_split(laboratory.options.data_directory, paper.data, laboratory.options.seed)};
    if (!compare_on(paper.data, split, options, laboratory, result)) return result;
    result.tables.push_back(table_of(paper, result.comparisons.back().second));
  }
  return result;
}

}  // namespace dorm

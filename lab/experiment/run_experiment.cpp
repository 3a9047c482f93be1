// SPDX-License-Identifier: Apache-2.0
// The table of experiments.
#include <array>

#include "lab/experiment/data_sets.h"
#include "lab/experiment/experiments.h"

namespace dorm {
namespace {

struct ExperimentRow {
  CatalogEntry entry;
  ExperimentResult (*run)(const Laboratory&);
};

constexpr ExperimentRow row(std::string_view name, ExperimentResult (*run)(const Laboratory&), std::string_view help) {
  return {{.name = name, .usage = name, .help = help}, run};
}

constexpr std::array kUciSets = {"page-blocks", "pendigits", "optdigits", "covertype"};
constexpr std::array kWebSets = {"mq2008", "mq2007-sample"};
constexpr std::array kRatingSets = {"movielens-100k"};
constexpr std::array kGraphSets = {"cmu-house"};

std::span<const char* const> sets_of(std::string_view experiment) {
  if (experiment.starts_with("uci")) return kUciSets;
  if (experiment.starts_with("eachmovie") || experiment.starts_with("movielens")) return kRatingSets;
  if (experiment.starts_with("house")) return kGraphSets;
  return kWebSets;
}

// clang-format off
constexpr std::array kRows{
    row("uci-table", uci_table, "Table 1: four UCI sets as ranking problems"),
    row("web-ndcg-levels", web_ndcg_levels, "NDCG@1 to NDCG@10, MRR, WTA, MAP and precision of every method"),
    row("web-learning-curve", web_learning_curve, "NDCG@10 by training set size"),
    row("web-mrr", web_mrr, "MRR by training set size"),
    row("web-wta", web_wta, "WTA by training set size, with mWTA"),
    row("decay-effect", decay_effect, "how much the decay c matters, by training set size"),
    row("runtime", runtime, "seconds of training and choosing C, by training set size"),
    row("solver-table", solver_table, "support vectors, iterations and share of the quadratic program"),
    row("eachmovie-ndcg", eachmovie_ndcg, "NDCG of recommenders from 10, 20 and 50 ratings of 100 users"),
    row("movielens-ndcg", movielens_ndcg, "the same of all users, more recommenders"),
    row("eachmovie-eru", eachmovie_eru, "expected rank utility with joint kernels of users and items"),
    row("house-matching", house_matching, "graph matching: linear and quadratic, unlearnt and learnt, by frame distance"),
};
// clang-format on

constexpr auto kEntries = [] {
  std::array<CatalogEntry, kRows.size()> entries{};
  for (std::size_t i = 0; i < kRows.size(); ++i) entries[i] = kRows[i].entry;
  return entries;
}();

}  // namespace

std::span<const CatalogEntry> experiment_catalog() { return kEntries; }

std::vector<DataFile> missing_data(std::string_view experiment, const std::string& directory) {
  std::vector<DataFile> missing;
  for (const std::string_view set : sets_of(experiment)) {
    const std::vector<DataFile> own = missing_files(directory, set);
    missing.insert(missing.end(), own.begin(), own.end());
  }
  return missing;
}

ExperimentResult run_experiment(std::string_view name, const ExperimentOptions& options,
                                const ComparisonObserver& observer) {
  for (const ExperimentRow& candidate : kRows)
    if (candidate.entry.name == name) {
      ExperimentResult result = candidate.run({options, observer});
      result.name = name;
      return result;
    }
  throw_unknown_name("experiment", name, kEntries);
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// One function per experiment, and what they share.
#pragma once

#include "dorm/lab/experiment.h"

namespace dorm {

/// Where an experiment runs: options, who watches.
struct Laboratory {
  const ExperimentOptions& options;
  const ComparisonObserver& observer;
};

ExperimentResult uci_table(const Laboratory& laboratory);
ExperimentResult web_ndcg_levels(const Laboratory& laboratory);
ExperimentResult web_learning_curve(const Laboratory& laboratory);
ExperimentResult web_mrr(const Laboratory& laboratory);
ExperimentResult web_wta(const Laboratory& laboratory);
ExperimentResult decay_effect(const Laboratory& laboratory);
ExperimentResult runtime(const Laboratory& laboratory);
ExperimentResult solver_table(const Laboratory& laboratory);
ExperimentResult eachmovie_ndcg(const Laboratory& laboratory);
ExperimentResult movielens_ndcg(const Laboratory& laboratory);
ExperimentResult eachmovie_eru(const Laboratory& laboratory);
ExperimentResult house_matching(const Laboratory& laboratory);

/// Where finished cells are kept; empty: nowhere.
std::string cells_folder(const Laboratory& laboratory);

/// Runs and keeps the comparison under `data`, by the seed of the laboratory unless that draws samples alone, one of so
/// many (0: not known); false when it was stopped.
bool compare_on(const std::string& data, const std::vector<DataSplit>& splits, ComparisonOptions options,
                const Laboratory& laboratory, ExperimentResult& result, std::size_t sets = 0);

/// The web sets that are there; throws Error(io) about the first when none is.
std::vector<std::string> web_sets(const Laboratory& laboratory);

/// Methods by row, measures by column, figures times 100 with their intervals.
report::Table figures_table(std::string caption, const ComparisonResult& result, std::size_t size);
/// One measure, methods by row, training sizes by column.
report::Table sizes_table(std::string caption, const ComparisonResult& result, std::size_t measure);

std::string percent(double value);  // 63.71

/// Mean and standard deviation of what is not NaN.
struct Spread {
  double mean = 0, deviation = 0;
  std::size_t count = 0;
};
Spread spread_of(std::span<const double> values);

}  // namespace dorm

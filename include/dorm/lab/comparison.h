// SPDX-License-Identifier: Apache-2.0
// Many methods on the same data: each tuned on the same validation queries, tested on the same test queries, with
// intervals and paired tests. Work is cut into cells whose results are kept, so that a run can be killed and goes on.
// Guide: docs/comparisons.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/evaluate.h"
#include "dorm/export.h"
#include "dorm/learning/baseline.h"
#include "dorm/train.h"
#include "dorm/tune.h"

namespace dorm {

/// Which build computes: the version, and a hash of the sources, the compiler and its flags. Cells of another build are
/// never used, and everything that is written names it.
std::string build_identity();

/// Train, choose, judge.
struct DataSplit {
  Dataset train, valid, test;
};

/// Several sets of the same features as one: part k holds the queries [part_begin[k], part_begin[k + 1]). Rows count
/// through the inputs in turn. Throws Error(bad_input) when two parts have a query of the same id.
struct Concatenation {
  Dataset data;
  std::vector<std::size_t> part_begin;
};
Concatenation concatenate(std::span<const Dataset> parts);

/// LETOR's rotation over k >= 3 parts of the queries: split i tests on part i - 1, validates on part i - 2 and trains
/// on the rest (indices modulo k), so that every query is tested once.
std::vector<DataSplit> rotate(const Dataset& data, const std::vector<std::vector<std::size_t>>& parts);

/// The parts that take turns: several sets, or the folds of one.
std::vector<DataSplit> rotating_splits(std::span<const Dataset> sets, std::size_t folds, std::uint64_t seed);

/// One split that tests on other data; without validation data the first of the folds validates.
DataSplit tested_split(const Dataset& data, const Dataset* valid, const Dataset& test, std::size_t folds,
                       std::uint64_t seed);

/// Beside the names of method_catalog(): what dorm tune delivers from the training and validation queries, as linear
/// rankers, curves, trees, or linear rankers and trees.
std::span<const CatalogEntry> tuned_catalog();
/// Throws Error(unknown_name) or Error(bad_option) for a method that cannot be compared.
void check_compared(std::string_view method);

/// Every baseline (RankSVM once), DORM for each of the measures that can be trained for, and `tune`.
std::vector<std::string> default_methods(const std::vector<std::string>& measures, const Convention& convention);

/// ndcg@10 as ndcg@1 ... ndcg@10, up to 20; nothing for a measure without a cutoff.
std::vector<std::string> measures_by_cutoff(const std::string& measure);

/// A ranker of somebody else: its scores of the test documents of each split, in document order.
struct OutsideScores {
  std::string name;
  std::vector<std::vector<double>> of_split;
  std::optional<ServingCost> serving = {};  // of a model
  bool linear = true;                       // false: a model of trees or the like, which is held against tune
};

struct ComparisonOptions {
  std::vector<std::string> methods;
  std::vector<OutsideScores> outside = {};
  std::vector<std::string> measures = {"ndcg@10"};  // every method is tuned for each in turn
  std::vector<std::string> curve = {};  // more measures, with the options chosen for the first of `measures`
  std::vector<std::size_t> sizes = {};  // training queries to learn from; 0, or an empty list: all
  std::vector<double> C = {1, 10, 100, 1000, 10000};
  /// Every method with a C has as many candidates as the one with most: baselines may aim at other things than the
  /// labels, and what has fewer aims, bounds and starts has a finer grid over the same range of C. Else as spelled, at
  /// each C.
  bool equal_candidates = true;
  Choice choice = Choice::best;  // how the candidate of a method is chosen on the validation queries
  std::string against = {};      // the method that others are tested against; empty: the best of each measure
  std::string convention = "standard", scale = "auto";
  std::string target = {};  // as in TrainOptions
  double tolerance = 1e-3;
  std::string lightgbm = {};  // of methods that grow trees: LightGBM's library; empty: found
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> sample_seed = std::nullopt;  // of the queries of `sizes`; none: seed
  std::size_t threads = 0;                                  // cells side by side; results do not depend on it
  std::string directory = {};                               // where results of cells are kept; empty: nowhere

  void validate() const;  // throws Error naming the option and what is allowed
};

/// One figure of the table: a method judged by a measure, its options chosen by that measure.
struct ComparisonFigure {
  std::string measure;
  MeasureResult result;             // over the test queries of all splits
  std::vector<std::string> chosen;  // per split, e.g. "C=100 best", "C=10 rel=best"
  std::size_t candidates = 0;       // that it was chosen from, on each split
  double seconds = 0;               // processor time of training the chosen model, mean over splits
  double tuning_seconds = 0;        // the same of all candidates
  double support_vectors = 0;       // planes of the chosen model, mean over splits; 0: not that kind of method
  double passes = 0;
  bool degenerate = false;  // on every split, what was chosen explains no more risk than a constant
  PairedTest test;          // this - the one tested against
  double p_holm = std::numeric_limits<double>::quiet_NaN();  // permutation test, Holm's correction; NaN: itself
  bool reference = false;                                    // the one tested against
};

struct ComparisonRow {
  std::string method;                     // also "random" and "ideal"
  std::size_t size = 0;                   // training queries asked for; 0: all
  std::string failure;                    // why there are no figures
  std::vector<ComparisonFigure> figures;  // of `measures`
  std::vector<MeasureResult> curve;       // of `curve`
  /// The first ten documents of every test query, of all splits in turn, by the options chosen for the first measure;
  /// none: not learnt.
  std::vector<Ranking> top = {};
  std::vector<double> weights =
      {};  // by column: their mean over splits, each at unit length; none: not linear, or many
  std::optional<ServingCost> serving = {};  // of the options chosen for the first measure, mean over splits; a model's
};

/// Linear or trees? On the test queries, by the first measure, less linear rankers alone: tune:both, or the model that
/// somebody brought.
struct ComparedTrees {
  std::size_t size = 0;  // as of rows
  TreesWorth worth;
  std::string text;  // all of it in words, of tune:both with what curves alone do where they were compared
};

struct ComparisonResult {
  std::vector<ComparisonRow> rows;  // by size, then in the order of methods, outside, random, ideal
  std::size_t splits = 0, test_queries = 0;
  std::vector<std::size_t> train_queries;  // per split
  std::vector<ComparedTrees> trees = {};   // by size, where tune stands beside tune:trees and tune:both, or a model
  bool complete = true;                    // false: stopped; rows are empty
};

struct ComparisonProgress {
  std::size_t done = 0, total = 0, found = 0;  // cells; found: finished by an earlier run
  std::string method;                          // of the cell just done
  std::string set = {};                        // of data, where several follow one another: its name,
  std::size_t set_number = 0, sets = 0;        // its number from 1, and how many there are; 0: not known
};
/// Called after every cell and now and then inside; false stops, finished cells are kept.
using ComparisonObserver = std::function<bool(const ComparisonProgress&)>;

ComparisonResult run_comparison(const std::vector<DataSplit>& splits, const ComparisonOptions& options,
                                const ComparisonObserver& observer = {});

std::string comparison_csv(const ComparisonResult& result);
std::string comparison_markdown(const ComparisonResult& result);

}  // namespace dorm

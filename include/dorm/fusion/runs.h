// SPDX-License-Identifier: Apache-2.0
// Runs of several retrievers as one data set: the documents that any of them lists, with one column of scores for each.
//
// Per query and run, scores become comparable first: see FusionScale. Lists are joined by document id; a document that
// a run does not list gets the least of that run's values in the query. docs/fusion.md has the rules and the reasons.
//
// Weights may depend on the query: columns behind the others are products of runs and query features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/data/input.h"
#include "dorm/data/judgments.h"
#include "dorm/dataset.h"

namespace dorm {

/// What the scores of one list become. A list of one score says nothing but what it lists: 1 there, 0 elsewhere.
///   minmax: 0 for the lowest, 1 for the highest
///   zscore: mean 0, standard deviation 1 over the list
///   rank:   61 / (60 + rank), 0 for documents not listed, as in reciprocal rank fusion
///   none:   as they are
enum class FusionScale { minmax, zscore, rank, none };
FusionScale parse_fusion_scale(std::string_view name);  // throws Error(unknown_name)
std::string_view name_of(FusionScale scale);
std::span<const CatalogEntry> fusion_scale_catalog();

/// What a document that a list lacks gets. minimum: the least value of the list; below: a quarter of the list's range
/// less. A column without any value in the query is 0.
enum class Absent { minimum, below };
Absent parse_absent(std::string_view name);  // throws Error(unknown_name)
std::string_view name_of(Absent rule);
std::span<const CatalogEntry> absent_catalog();

/// The constant of reciprocal rank fusion.
inline constexpr double kRankConstant = 60;

/// A number that is known of a query, such as its length. What counts is its share z: 0 at `low` and below, 1 at `high`
/// and above.
struct QueryFeature {
  std::string name;
  double low = 0, high = 1;  // the least and the largest of the queries that were learnt from
};

/// How runs become columns; a fused model keeps it, so that what it ranks is joined as what it learnt from was.
///
/// Each query feature adds two columns for each run, its values times z and times 1 - z. A weight of the run that is
/// linear in all z is 0 or more for every query exactly if it is such a sum with weights of 0 or more.
struct FusionInput {
  std::vector<std::string> runs;                  // names, one per column
  std::vector<std::string> features = {};         // further columns: values of documents that some run lists
  std::vector<QueryFeature> query_features = {};  // and products of the runs with these
  FusionScale scale = FusionScale::minmax;
  Absent absent = Absent::minimum;
  std::vector<ColumnEncoding> encodings = {};  // of the table that features are read from, fitted

  std::size_t num_lists() const { return runs.size() + features.size(); }
  std::size_t num_columns() const { return num_lists() + 2 * runs.size() * query_features.size(); }
  std::vector<std::string> list_names() const;
  std::vector<std::string> column_names() const;

  /// Of the values of its query features. Throws Error(bad_input) for one that is not finite.
  std::vector<double> shares_of(std::span<const double> values) const;
  /// What the weights of columns make of the runs in a query with these shares; the last ones are those of features.
  std::vector<double> weights_at(std::span<const double> weights, std::span<const double> shares) const;
};

/// The features of a table of queries, with the ranges of those that are judged and in it. Throws Error(bad_input) for
/// one that is the same for all of them.
std::vector<QueryFeature> query_features_of(const SideFeatures& table, std::span<const Judgment> judgments);

struct ListedDocument {
  std::string_view document;
  double score = 0;
};

/// The lists of one query, joined.
struct JoinedLists {
  std::vector<std::string_view> documents;  // in order of first appearance, list by list
  std::vector<float> values;                // documents x columns
  std::vector<double> reciprocal_rank;      // by document: sum over runs of 1 / (60 + rank); equal scores in list order
};

/// Another way to make the scores of a list comparable, in place; returns the value of documents that it lacks.
/// `column` is its number. For what engines do.
using ColumnRule = std::function<double(std::span<double> scores, std::size_t column)>;

/// `lists`: one per run, then those of `input.features`, which add no documents. `shares`: of the query features.
/// Throws Error(bad_input) for a document that is twice in a list and scores that are not finite, naming the list.
/// `rule`: instead of input.scale.
JoinedLists join_lists(std::span<const std::vector<ListedDocument>> lists, const FusionInput& input,
                       std::span<const double> shares = {}, const ColumnRule& rule = {});

/// Ranks from 1; equal scores keep the order of the list.
std::vector<std::size_t> ranks_of_scores(std::span<const double> scores);

/// A run, or a column of values by query and document.
struct NamedRun {
  std::string name;
  std::vector<RunEntry> entries;
};

struct JoinedRuns {
  FusionInput input;
  /// One document for each that some run lists, in the order of the runs; queries in the order of the judgments, then
  /// those without any. Labels: of documents without a judgment 0. Dense.
  Dataset data;
  std::vector<double> reciprocal_rank;     // by document
  std::vector<std::uint8_t> judged;        // by document: whether it is
  std::size_t judged_queries = 0;          // the first of them have judgments
  std::vector<std::size_t> judged_by_run;  // by run: how many of these it lists
  std::vector<std::vector<float>> missed;  // by judged query: labels of documents that no run lists, sorted
  std::size_t unlisted_queries = 0;        // judged, but in no run: left out
  std::vector<double> low, high;           // by list: least and largest score, mean over the queries that have it
  std::vector<double> shares;              // by query and query feature
};

struct JoinOptions {
  std::size_t threads = 0;
  ColumnRule rule = {};                          // instead of input.scale
  const SideFeatures* query_features = nullptr;  // by query, where input has some; matched by name
};

/// Joins the lists of all queries. `runs` are the lists in the order of `input`. Throws Error(bad_input) as
/// join_lists(), where a document is judged twice, and for a query without query features.
JoinedRuns join_runs(std::span<const NamedRun> runs, std::span<const Judgment> judgments, const FusionInput& input,
                     const JoinOptions& options = {});

/// The same without the products of runs and query features; shares the memory.
JoinedRuns without_query_features(const JoinedRuns& runs);

}  // namespace dorm

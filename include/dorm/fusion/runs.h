// SPDX-License-Identifier: Apache-2.0
// Runs of several retrievers as one data set: the documents that any of them lists, with one column of scores for each.
//
// Per query and run, scores become comparable first: see FusionScale. Lists are joined by document id; a document that
// a run does not list gets the least of that run's values in the query. docs/fusion.md has the rules and the reasons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
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

/// How runs become columns; a fused model keeps it, so that what it ranks is joined as what it learnt from was.
struct FusionInput {
  std::vector<std::string> runs;           // names, one per column
  std::vector<std::string> features = {};  // further columns: values of documents that some run lists
  FusionScale scale = FusionScale::minmax;
  Absent absent = Absent::minimum;

  std::size_t num_columns() const { return runs.size() + features.size(); }
  std::vector<std::string> column_names() const;
};

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

/// `lists`: one per column, those of `input.features` last; these add no documents. Throws Error(bad_input) for a
/// document that is twice in a list and scores that are not finite, naming the column. `rule`: instead of input.scale.
JoinedLists join_lists(std::span<const std::vector<ListedDocument>> lists, const FusionInput& input,
                       const ColumnRule& rule = {});

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
  /// those without any. Labels: of documents without a judgment 0.
  Dataset data;
  std::vector<double> reciprocal_rank;     // by document
  std::vector<std::uint8_t> judged;        // by document: whether it is
  std::size_t judged_queries = 0;          // the first of them have judgments
  std::vector<std::vector<float>> missed;  // by judged query: labels of documents that no run lists, sorted
  std::size_t unlisted_queries = 0;        // judged, but in no run: left out
  std::vector<double> low, high;           // by column: least and largest score of a list, mean over its lists
};

/// Joins the lists of all queries. `runs` are the columns in the order of `input`. Throws Error(bad_input) as
/// join_lists(), and where a document is judged twice.
JoinedRuns join_runs(std::span<const NamedRun> runs, std::span<const Judgment> judgments, const FusionInput& input,
                     std::size_t threads = 0, const ColumnRule& rule = {});

}  // namespace dorm

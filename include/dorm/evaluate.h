// SPDX-License-Identifier: Apache-2.0
// Evaluation: measures over queries, with intervals, per-query values and tests between two rankers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/dataset.h"

namespace dorm {

/// Equal scores: by document index (as input), the expectation over all orders, the worst order, or by
/// document id, descending (trec_eval's rule).
enum class Ties { index, expected, worst, document_id };

struct EvaluateOptions {
  std::string convention = "standard";  // docs/measures.md lists them
  std::string ties = "";                // "": as the convention says; or index, expected, worst, document_id
  std::size_t bootstrap = 1000;         // resamples for the interval; 0: none
  double confidence = 0.95;
  std::uint64_t seed = 0;
  std::size_t threads = 0;
};

struct MeasureResult {
  std::string name;               // "ndcg@10"
  double mean = 0;                // weighted by query weights; NaN when no query counted
  double low = 0, high = 0;       // bootstrap interval over queries
  std::size_t queries = 0;        // counted in the mean
  std::size_t skipped = 0;        // left out by the convention, e.g. no relevant document
  std::vector<double> per_query;  // one per query of the data, NaN where skipped
};

struct EvaluationTable {
  std::string convention, ties;
  std::vector<MeasureResult> measures;
  const MeasureResult& operator[](std::string_view name) const;
};

/// `scores` in document order of `data` (not file order: see Dataset::source_row). NaN scores are refused.
EvaluationTable evaluate(const Dataset& data, std::span<const double> scores,
                         std::span<const std::string> measures, const EvaluateOptions& options = {});

/// Two rankers on the same queries: a - b, over the queries both have a value for.
struct PairedTest {
  std::size_t queries = 0, wins = 0, losses = 0, ties = 0;
  double mean_difference = 0, low = 0, high = 0;  // bootstrap interval of the mean difference
  double t_statistic = 0, p_t = 1, p_sign = 1, p_permutation = 1;
};
PairedTest compare(std::span<const double> a, std::span<const double> b, const EvaluateOptions& options = {});

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Clicks: what was shown where and how often it was clicked, how likely a position is to be looked at, and gains of
// documents that the two give together. Plain data and arithmetic; files are read and written by click_log.h.
// docs/clicks.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/judgments.h"

namespace dorm {

/// How often a document was shown at a position of a query's results, and clicked there. Expected counts are counts.
struct ClickCount {
  std::uint32_t query = 0, document = 0;  // numbers in the tables of their ClickCounts
  std::uint32_t position = 1;             // from 1
  std::uint32_t ranker = 0, context = 0;  // 0 where the log does not tell them apart
  double impressions = 0, clicks = 0;     // 0 <= clicks <= impressions
};

/// A log, counted. Rows are ordered by query, document, position, ranker and context; no combination occurs twice.
struct ClickCounts {
  IdTable queries, documents;
  IdTable rankers, contexts;  // one name at least, empty where the log does not tell them apart
  std::vector<ClickCount> rows;
  std::uint64_t log_rows = 0;  // that were counted

  /// The rows of one query.
  std::span<const ClickCount> of_query(std::uint32_t query) const;
  std::uint32_t num_positions() const;  // the largest position

  /// How often the results of each query were shown: the most impressions that any position has. Every page of results
  /// has one document at its first position, so that this needs no session ids.
  std::vector<double> page_views() const;
};

/// Counts one observation after another; memory is needed for what differs, not for what is counted.
class ClickCounter {
 public:
  struct Observation {
    std::string_view query, document;
    std::uint32_t position = 1;
    std::string_view ranker = {}, context = {};
    double impressions = 1, clicks = 0;
  };
  void add(const Observation& seen);
  ClickCounts finish();  // once

 private:
  std::uint32_t place_of(const ClickCount& key);
  void grow();

  ClickCounts counts_;
  std::vector<std::uint32_t> slots_;  // open addressing: places in counts_.rows, plus 1; 0: free
  struct Last {
    std::string name;
    std::uint32_t number = 0;
    bool known = false;
  } query_, ranker_, context_;
  static std::uint32_t number_of(IdTable& table, Last& last, std::string_view name);
};

/// The estimates of one position: P(click) = slope * relevance + offset.
struct PositionPropensity {
  std::uint32_t position = 1;
  double propensity = 1;                                    // above 0; up to a factor common to all positions
  double error = std::numeric_limits<double>::quiet_NaN();  // standard error; NaN: not known
  double alpha = std::numeric_limits<double>::quiet_NaN();  // trust bias: the slope; NaN: the propensity
  double beta = 0;                                          // and the clicks without relevance

  double slope() const { return alpha == alpha ? alpha : propensity; }
};

/// By position, and by context (device, layout) where there are several.
class Propensities {
 public:
  /// Throws Error(bad_input) for a number out of its range or a position that occurs twice in a context.
  void add(std::string_view context, const PositionPropensity& row);

  /// nullptr: not known. Propensities of the empty context alone hold in every context.
  const PositionPropensity* find(std::uint32_t position, std::string_view context = {}) const;
  /// The same; throws Error(bad_input), naming both.
  const PositionPropensity& at(std::uint32_t position, std::string_view context = {}) const;

  bool empty() const { return contexts_.size() == 0; }
  bool by_context() const;
  bool has_trust_bias() const;  // an alpha or beta was given
  const IdTable& contexts() const { return contexts_; }
  std::span<const PositionPropensity> of_context(std::size_t context) const { return rows_[context]; }  // by position

 private:
  IdTable contexts_;
  std::vector<std::vector<PositionPropensity>> rows_;  // by context; each by increasing position
};

}  // namespace dorm

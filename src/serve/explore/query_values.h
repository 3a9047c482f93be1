// SPDX-License-Identifier: Apache-2.0
// The measure of every query, again and again for other scores: the figures of evaluate(), with what does not depend on
// scores found once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dorm/evaluate.h"
#include "serve/explore/score_table.h"

namespace dorm::explore {

class QueryValues {
 public:
  /// Throws as evaluate() does.
  QueryValues(Dataset data, const std::string& measure, EvaluateOptions options);

  const std::string& name() const { return name_; }
  /// Positions that count: the measure's cutoff, 0 without one.
  std::size_t cutoff() const { return cutoff_; }
  const EvaluateOptions& options() const { return options_; }

  /// By query; NaN where there is no value.
  std::vector<double> values(const ScoreTable& scores) const;
  /// Of one query, by the scores of its documents.
  double of_query(std::size_t q, std::span<const double> scores) const;
  /// Mean and interval of such values.
  MeasureResult estimate(std::vector<double> values) const;

 private:
  double value(std::size_t q, std::span<const double> scores) const;
  double judged(std::size_t q, std::span<const double> scores) const;  // by evaluate()

  Dataset data_;
  EvaluateOptions options_;
  MeasurePtr measure_;
  std::string name_;
  std::size_t cutoff_ = 0;
  bool by_index_ = true;          // equal scores: by index, or as the convention says
  double empty_ = 0;              // what a query in which there is nothing to find counts
  std::vector<Factors> factors_;  // by query, a only as far as it counts; none: the measure has none
  std::vector<bool> nothing_;     // by query, likewise: nothing to find
};

}  // namespace dorm::explore

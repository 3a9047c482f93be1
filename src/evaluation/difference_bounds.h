// SPDX-License-Identifier: Apache-2.0
// How much labels that nobody has given yet can change the difference of two rankings of one query.
#pragma once

#include <string>
#include <vector>

#include "dorm/measure.h"

namespace dorm {

/// Documents of two rankings of one query, and those that are judged beside.
struct PooledQuery {
  std::vector<std::string> documents;
  std::vector<float> labels;  // below 0: none yet
  Ranking first, second;

  std::vector<std::uint32_t> open() const;  // without a label
};

struct DifferenceBounds {
  double low = 0, high = 0;
  double width() const { return high - low; }
};

/// Measures whose value for a query lies between 0 and 1, or is a sum over its documents, and in which documents
/// without a judgment count as bad. Throws Error(bad_option) for others.
class BoundedMeasure {
 public:
  BoundedMeasure(const std::string& spelling, const Convention& convention);

  /// Documents that it looks at; 0: all.
  std::size_t depth() const { return depth_; }
  /// Value of the first ranking less that of the second, with label 0 where there is none; 0 where there is nothing to
  /// find.
  double difference(const PooledQuery& query) const;
  /// Of all labels from 0 to `best` for the open documents: exact for measures that are sums of gains by position
  /// (ndcg, dcg, precision, rbp, hits) or the place of the first relevant document (mrr, success), -1 to 1 for others.
  DifferenceBounds bounds(const PooledQuery& query, float best) const;
  /// Open documents on which the difference may depend, within these bounds.
  std::vector<std::uint32_t> matters(const PooledQuery& query, const DifferenceBounds& bounds) const;

 private:
  enum class Kind { any, sum, share_of_ideal, first };
  double difference(const PooledQuery& query, Labels labels) const;
  std::vector<double> apart(const PooledQuery& query) const;
  void visit(const PooledQuery& query, float best, const std::vector<std::uint32_t>& order,
             DifferenceBounds& bounds) const;

  std::unique_ptr<const Measure> measure_;
  Kind kind_ = Kind::any;
  std::size_t depth_ = 0;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Sums in a fixed order. Terms are computed by any number of workers, in any order; how they are added depends on their
// number alone, so a sum has the same bits whoever computed its terms.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/vector/vector_ops.h"

namespace dorm {

/// [0, count) in `parts` consecutive pieces of about equal length: where piece p begins; it ends where the next begins.
inline std::size_t piece_begin(std::size_t count, std::size_t parts, std::size_t p) { return count * p / parts; }

/// sum over k < count of term(k, worker), computed by threads and added in the order of k.
template <class Term>
double ordered_sum(std::size_t count, std::size_t threads, const Term& term) {
  std::vector<double> terms(count);
  parallel_for(count, threads, [&](std::size_t k, std::size_t worker) { terms[k] = term(k, worker); });
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

/// A sum of vectors in partial sums: what falls into one part is added by one worker, the parts are added in order.
class PartialSums {
 public:
  PartialSums(std::size_t parts, std::size_t size) : parts_(parts, std::vector<double>(size, 0.0)) {}

  std::size_t size() const { return parts_.size(); }
  std::vector<double>& operator[](std::size_t part) { return parts_[part]; }

  /// All parts together. What they held is gone.
  std::vector<double> total() {
    for (std::size_t p = 1; p < parts_.size(); ++p) axpy(1.0, std::span<const double>(parts_[p]), parts_[0]);
    return std::move(parts_[0]);
  }

 private:
  std::vector<std::vector<double>> parts_;
};

}  // namespace dorm

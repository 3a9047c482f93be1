// SPDX-License-Identifier: Apache-2.0
// How long a tuning will take yet, from what cells of each kind have taken so far. A kind that was not measured is
// taken from others by how its cost compares: rough, but it includes the kernels that are still to come.
#pragma once

#include <cstddef>
#include <vector>

namespace dorm {

class TuneForecast {
 public:
  enum class Sort { ridge, pairs, bound, predicted };

  /// `cost`: of a cell under this kernel, relative to a linear ranker. Returns the number of the kernel.
  std::size_t add_kernel(double cost);

  /// So many problems (a cell on one split each) of a kind are to come, or will not be tried after all.
  void expect(std::size_t kernel, Sort sort, std::size_t problems);
  void give_up(std::size_t kernel, Sort sort, std::size_t problems);
  /// One of them is done, in so many seconds of one thread.
  void measured(std::size_t kernel, Sort sort, double seconds);
  /// One of them was done by an earlier run.
  void known(std::size_t kernel, Sort sort) { give_up(kernel, sort, 1); }

  /// Seconds on so many threads; NaN before anything was measured.
  double left(std::size_t threads) const;

 private:
  static constexpr std::size_t kSorts = 4;
  struct Kind {
    double seconds = 0;
    std::size_t done = 0, to_come = 0;
  };
  Kind& kind(std::size_t kernel, Sort sort) { return kinds_[kernel * kSorts + static_cast<std::size_t>(sort)]; }
  double unit_of(std::size_t first, std::size_t last) const;

  std::vector<double> cost_;  // by kernel
  std::vector<Kind> kinds_;   // by kernel and sort
};

/// Of a cell under an exact kernel, relative to a linear one: a product with a row of the Gram matrix takes the place
/// of one with the features.
double exact_kernel_cost(std::size_t documents, std::size_t features);

}  // namespace dorm

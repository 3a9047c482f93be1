// SPDX-License-Identifier: Apache-2.0
// The time that a tuning has left, from the times of grid points of each kind so far. The time of a kind without a
// measurement is estimated from others by their relative cost: rough, but it includes the kernels to come.
#pragma once

#include <cstddef>
#include <vector>

namespace dorm {

class TuneForecast {
 public:
  enum class Sort { ridge, pairs, bound, predicted, trees };

  /// `cost`: of a grid point under this kernel, relative to a linear ranker. Returns the number of the kernel.
  std::size_t add_kernel(double cost);

  /// Announces problems (a grid point on one split each) of a kind; or that they will not be solved.
  void expect(std::size_t kernel, Sort sort, std::size_t problems);
  void give_up(std::size_t kernel, Sort sort, std::size_t problems);
  /// One of them is solved, with its seconds of one thread.
  void measured(std::size_t kernel, Sort sort, double seconds);
  /// One of them was solved by an earlier run.
  void known(std::size_t kernel, Sort sort) { give_up(kernel, sort, 1); }

  /// Seconds on a number of threads; NaN before the first measurement.
  double left(std::size_t threads) const;

 private:
  static constexpr std::size_t kSorts = 5;
  struct Kind {
    double seconds = 0;
    std::size_t done = 0, to_come = 0;
  };
  Kind& kind(std::size_t kernel, Sort sort) { return kinds_[kernel * kSorts + static_cast<std::size_t>(sort)]; }
  double unit_of(std::size_t first, std::size_t last) const;

  std::vector<double> cost_;  // by kernel
  std::vector<Kind> kinds_;   // by kernel and sort
};

/// Cost of a grid point under an exact kernel, relative to a linear one: products with rows of the Gram matrix replace
/// those with the features.
double exact_kernel_cost(std::size_t documents, std::size_t features);

}  // namespace dorm

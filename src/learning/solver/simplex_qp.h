// SPDX-License-Identifier: Apache-2.0
// The one quadratic program of all solvers:
//
//     maximise  <b, a> - 1/2 a' G a   over  a >= 0,  sum a <= C  (or = C),
//
// G symmetric and positive semidefinite, possibly singular. Solved by moving weight between two variables at a time,
// the pair chosen by the gain it promises; the answer carries its own certificate.
#pragma once

#include <cstddef>
#include <span>

namespace dorm {

/// Row-major symmetric matrix, entry (i, j) at data[i * stride + j].
struct GramView {
  const double* data = nullptr;
  std::size_t size = 0;
  std::size_t stride = 0;

  const double* row(std::size_t i) const { return data + i * stride; }
};

enum class SimplexKind {
  full,    // sum a = C
  capped,  // sum a <= C
};

struct SimplexQpOptions {
  SimplexKind kind = SimplexKind::capped;
  double tolerance = 1e-12;  // on the duality gap, absolute
  std::size_t max_steps = 100000;
};

/// gap = C max(h) - <a, h> with h = b - G a (and 0 among the h when capped): an upper bound on what the objective still
/// lacks. residual = max(h) - min(h over a > 0): 0 exactly at a solution.
struct SimplexQpReport {
  double gain = 0;      // of the objective, over its value at the start
  double gap = 0;       // after the last step
  double residual = 0;  // after the last step
  std::size_t steps = 0;
};

/// Improves the feasible point `a` in place, given h = b - G a there; leaves h of the new point in `h`.
SimplexQpReport improve_simplex(const GramView& gram, double total, std::span<double> h, std::span<double> a,
                                const SimplexQpOptions& options);

/// From b instead of h. `a` is the start: entries below 0 are raised to 0, and the rest is scaled to the total.
SimplexQpReport solve_simplex_qp(const GramView& gram, std::span<const double> b, double total, std::span<double> a,
                                 const SimplexQpOptions& options);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/signed_program.h"

#include <algorithm>

#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

constexpr int kMostSteps = 100;      // of Newton's method
constexpr int kMostHalvings = 60;    // of a line search
constexpr double kOfTheRest = 1e-9;  // curvature in coordinates that w does not keep

std::vector<double> combined(std::span<const AggregatePlane> planes, std::span<const double> alpha,
                             std::size_t dimension) {
  std::vector<double> v(dimension, 0.0);
  for (std::size_t k = 0; k < planes.size(); ++k)
    if (alpha[k] > 0) axpy(alpha[k], planes[k].direction, v);
  return v;
}

}  // namespace

void SignedProgram::improve(std::vector<double>& alpha, double tolerance) const {
  const std::size_t count = planes.size();
  std::vector<double> h(count), better, change;
  std::vector<double> v = combined(planes, alpha, planes[0].direction.size());
  for (int step = 0; step < kMostSteps; ++step) {
    double highest = 0, inner = 0;
    for (std::size_t k = 0; k < count; ++k) {
      h[k] = offsets[k] - cone.product(v, planes[k].direction);
      highest = std::max(highest, h[k]);
      inner += alpha[k] * h[k];
    }
    if (!(total * highest - inner > tolerance)) break;
    const std::vector<double> kept = kept_gram(v);
    better = alpha;
    improve_simplex({kept.data(), count, count}, total, h, better, {SimplexKind::capped, 0.1 * tolerance, 200000});
    const std::vector<double> goal = combined(planes, better, v.size());
    change = goal;
    axpy(-1.0, std::span<const double>(v), change);
    double rise = 0;
    for (std::size_t k = 0; k < count; ++k) rise += offsets[k] * (better[k] - alpha[k]);
    const double length = best_step(v, change, rise);
    if (!(length > 0)) break;
    for (std::size_t k = 0; k < count; ++k)
      alpha[k] = length == 1 ? better[k] : alpha[k] + length * (better[k] - alpha[k]);
    v = length == 1 ? goal : combined(planes, alpha, v.size());
  }
}

/// Products in the coordinates that w keeps, and a little of those in the others.
std::vector<double> SignedProgram::kept_gram(std::span<const double> v) const {
  const std::size_t count = planes.size();
  std::vector<double> memory, kept(count * count);
  const std::span<const double> w = cone.nearest(v, memory);
  std::vector<std::uint32_t> lost;
  for (std::size_t j = 0; j < v.size(); ++j)
    if (w[j] != v[j]) lost.push_back(static_cast<std::uint32_t>(j));
  std::vector<double> rows(count * lost.size());
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < lost.size(); ++i) rows[k * lost.size() + i] = planes[k].direction[lost[i]];
  const auto row = [&](std::size_t k) { return std::span<const double>(rows).subspan(k * lost.size(), lost.size()); };
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t l = 0; l <= k; ++l)
      kept[k * count + l] = kept[l * count + k] = gram.row(k)[l] - (1 - kOfTheRest) * dot(row(k), row(l));
  return kept;
}

/// Of [0, 1], along `change` of v, where the offsets rise by `rise`: the slope falls along the way.
double SignedProgram::best_step(std::span<const double> v, std::span<const double> change, double rise) const {
  std::vector<double> at(v.size());
  const auto slope = [&](double length) {
    for (std::size_t j = 0; j < v.size(); ++j) at[j] = v[j] + length * change[j];
    return rise - cone.product(at, change);
  };
  double low = 0, high = 1, low_slope = slope(0), high_slope = slope(1);
  if (!(low_slope > 0)) return 0;
  if (high_slope >= 0) return 1;
  const double enough = 1e-9 * low_slope;
  for (int halving = 0; halving < kMostHalvings && low_slope > enough; ++halving) {
    const double secant = low + (high - low) * low_slope / (low_slope - high_slope);
    const double middle = halving % 3 == 2 ? 0.5 * (low + high) : secant;
    const double here = slope(middle);
    (here >= 0 ? low : high) = middle;
    (here >= 0 ? low_slope : high_slope) = here;
  }
  return low;
}

}  // namespace dorm

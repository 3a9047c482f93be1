// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/proximal_point.h"

#include <cmath>

namespace dorm {
namespace {

std::vector<double> difference(std::span<const double> x, std::span<const double> y) {
  std::vector<double> result(x.begin(), x.end());
  for (std::size_t j = 0; j < y.size(); ++j) result[j] -= y[j];
  return result;
}

}  // namespace

std::vector<double> dual_weights(const SolverState& state) {
  std::vector<double> v = state.w;
  for (std::size_t j = 0; j < state.centre.size(); ++j) v[j] += state.kappa * (v[j] - state.centre[j]);
  return v;
}

void begin_proximal(SolverState& state, double kappa) {
  state.centre = state.last_centred = state.w;  // v = w, so that w stays where it is
  state.kappa = kappa;
}

void move_centre(SolverState& state, const Geometry& geometry, bool dual_fell) {
  const std::vector<double> moved = difference(state.w, state.last_centred);
  const double root = std::sqrt(1 / (1 + state.kappa));
  const bool turned = dual_fell || geometry.inner(difference(state.centre, state.w), moved) > 0;
  const double momentum = turned ? 0 : (1 - root) / (1 + root);
  state.last_centred = state.w;
  for (std::size_t j = 0; j < moved.size(); ++j) {
    const double centre = state.w[j] + momentum * moved[j];
    state.w[j] += state.kappa / (1 + state.kappa) * (centre - state.centre[j]);
    state.centre[j] = centre;
  }
}

void end_proximal(SolverState& state) {
  state.w = dual_weights(state);
  state.kappa = 0;
  state.centre.clear();
  state.last_centred.clear();
}

double proximal_gap(const SolverState& state, const Geometry& geometry) {
  if (state.kappa == 0) return 0;
  const std::vector<double> apart = difference(state.centre, state.w);
  return 0.5 * state.kappa * state.kappa * geometry.inner(apart, apart);
}

}  // namespace dorm

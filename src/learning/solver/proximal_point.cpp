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

void begin_proximal(SolverState& state, const Cone& cone, double kappa) {
  state.centre = state.w;
  cone.project(state.centre);
  state.last_centred = state.centre;
  state.kappa = kappa;
  if (cone.whole()) return;  // v = w, so that w stays where it is
  for (std::size_t j = 0; j < state.w.size(); ++j)
    state.w[j] = (state.w[j] + kappa * state.centre[j]) / (1 + kappa);  // of the same sign
}

void move_centre(SolverState& state, const Geometry& geometry, const Cone& cone, bool dual_fell) {
  std::vector<double> memory;
  const std::span<const double> w = cone.nearest(state.w, memory);
  const std::vector<double> moved = difference(w, state.last_centred);
  const double root = std::sqrt(1 / (1 + state.kappa));
  const bool turned = dual_fell || geometry.inner(difference(state.centre, w), moved) > 0;
  const double momentum = turned ? 0 : (1 - root) / (1 + root);
  state.last_centred.assign(w.begin(), w.end());
  for (std::size_t j = 0; j < moved.size(); ++j) {
    const double centre = state.last_centred[j] + momentum * moved[j];
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

double proximal_gap(const SolverState& state, const Geometry& geometry, const Cone& cone) {
  if (state.kappa == 0) return 0;
  if (cone.whole()) {
    const std::vector<double> apart = difference(state.centre, state.w);
    return 0.5 * state.kappa * state.kappa * geometry.inner(apart, apart);
  }
  std::vector<double> held, shown;
  const std::vector<double> v = dual_weights(state);
  const std::span<const double> w = cone.nearest(state.w, held), of_v = cone.nearest(v, shown);
  const std::vector<double> apart = difference(w, of_v);
  return 0.5 * geometry.inner(apart, apart) + geometry.inner(w, difference(of_v, v));
}

}  // namespace dorm

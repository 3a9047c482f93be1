// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/cone.h"

#include <algorithm>
#include <array>
#include <limits>

namespace dorm {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Of `count` terms in a fixed order, in sums beside each other.
template <class Term>
double sum_of(std::size_t count, const Term& term) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums = {};
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(j + lane);
  double rest = 0;
  for (; j < count; ++j) rest += term(j);
  for (const double sum : sums) rest += sum;
  return rest;
}

}  // namespace

Cone::Cone(const Geometry& geometry) : geometry_(geometry) {
  const std::span<const std::int8_t> signs = geometry.signs();
  if (std::all_of(signs.begin(), signs.end(), [](std::int8_t sign) { return sign == 0; })) return;
  for (const std::int8_t sign : signs) {
    low_.push_back(sign > 0 ? 0 : -kUnbounded);
    high_.push_back(sign < 0 ? 0 : kUnbounded);
  }
}

double Cone::at(std::size_t j, double v) const { return std::min(std::max(v, low_[j]), high_[j]); }

std::span<const double> Cone::nearest(std::span<const double> v, std::vector<double>& memory) const {
  if (whole()) return v;
  memory.resize(v.size());
  for (std::size_t j = 0; j < v.size(); ++j) memory[j] = at(j, v[j]);
  return memory;
}

void Cone::project(std::vector<double>& v) const {
  if (!whole()) nearest(v, v);
}

double Cone::square(std::span<const double> v) const {
  if (whole()) return geometry_.inner(v, v);
  return sum_of(v.size(), [&](std::size_t j) {
    const double w = at(j, v[j]);
    return w * w;
  });
}

double Cone::product(std::span<const double> v, std::span<const double> direction) const {
  if (whole()) return geometry_.inner(v, direction);
  return sum_of(v.size(), [&](std::size_t j) { return at(j, v[j]) * direction[j]; });
}

double Cone::product(std::span<const double> v, const Plane& plane) const {
  if (whole()) return geometry_.dot(v, plane);
  const std::vector<float>& values = plane.direction;
  if (plane.columns.empty())
    return sum_of(values.size(), [&](std::size_t j) { return at(j, v[j]) * static_cast<double>(values[j]); });
  return sum_of(values.size(), [&](std::size_t k) {
    const std::uint32_t j = plane.columns[k];
    return at(j, v[j]) * static_cast<double>(values[k]);
  });
}

}  // namespace dorm

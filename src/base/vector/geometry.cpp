// SPDX-License-Identifier: Apache-2.0
// The default geometry, which is Euclidean.
#include "dorm/learning/geometry.h"

#include <algorithm>
#include <functional>

#include "base/vector/vector_ops.h"

namespace dorm {

double Geometry::inner(const Plane& x, const Plane& y) const {
  if (x.columns.empty() && y.columns.empty()) {
    if (x.direction.empty() || y.direction.empty()) return 0;
    return dorm::dot(std::span<const float>(x.direction), std::span<const float>(y.direction));
  }
  if (!x.columns.empty() && !y.columns.empty()) return dorm::dot(x.columns, x.direction, y.columns, y.direction);
  const Plane& sparse = x.columns.empty() ? y : x;
  const Plane& dense = x.columns.empty() ? x : y;
  if (dense.direction.empty()) return 0;
  double sum = 0;
  for (std::size_t k = 0; k < sparse.columns.size(); ++k)
    sum += static_cast<double>(sparse.direction[k]) * static_cast<double>(dense.direction[sparse.columns[k]]);
  return sum;
}

double Geometry::inner(std::span<const double> v, std::span<const double> w) const { return dorm::dot(v, w); }

double Geometry::dot(std::span<const double> w, const Plane& plane) const {
  if (plane.direction.empty()) return 0;
  if (plane.columns.empty()) return dorm::dot(std::span<const float>(plane.direction), w);
  return dorm::dot(plane.columns, plane.direction, w);
}

void Geometry::add(double scale, const Plane& plane, std::span<double> w) const {
  if (plane.direction.empty()) return;
  if (plane.columns.empty())
    axpy(scale, std::span<const float>(plane.direction), w);
  else
    axpy(scale, plane.columns, plane.direction, w);
}

void Geometry::add_all(std::span<const double> scales, std::span<const Plane> planes, std::span<double> w) const {
  for (std::size_t k = 0; k < scales.size(); ++k)
    if (scales[k] != 0) add(scales[k], planes[k], w);
}

bool Geometry::well_formed(const Plane& plane) const {
  if (plane.columns.empty()) return plane.direction.empty() || plane.direction.size() == dimension();
  return plane.columns.size() == plane.direction.size() && plane.columns.back() < dimension() &&
         std::adjacent_find(plane.columns.begin(), plane.columns.end(), std::greater_equal<>()) == plane.columns.end();
}

}  // namespace dorm

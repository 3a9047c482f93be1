// SPDX-License-Identifier: Apache-2.0
// Planes, and the space that weights and planes live in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dorm {

/// A linear lower bound of one block: H_q(w) >= offset - <w, direction> for all w.
///
/// `direction` is dense when `columns` is empty, else the values at those increasing columns. A risk with a geometry of
/// its own may store anything else in the two arrays (coefficients of documents, the two factors of a rank-one matrix),
/// as long as equal planes have equal arrays.
struct Plane {
  double offset = 0;
  std::vector<float> direction;
  std::vector<std::uint32_t> columns;

  bool operator==(const Plane&) const = default;
};

/// The space that weights and planes live in: all that is ever done with them. Weights are vectors of dimension()
/// doubles, which solvers start from zero and combine with add(). The defaults are Euclidean, with planes dense or
/// sparse. (Kernels keep coefficients and scores side by side, so that dot() costs as much as the plane is long.) Const
/// calls are safe from several threads.
class Geometry {
 public:
  virtual ~Geometry() = default;

  virtual std::size_t dimension() const = 0;
  virtual double inner(const Plane& x, const Plane& y) const;  // symmetric to the last bit
  virtual double inner(std::span<const double> v, std::span<const double> w) const;
  virtual double dot(std::span<const double> w, const Plane& plane) const;
  virtual void add(double scale, const Plane& plane, std::span<double> w) const;  // w += scale * direction
  /// w += sum_k scales[k] * direction of planes[k], all of one block; planes with scale 0 are not touched.
  virtual void add_all(std::span<const double> scales, std::span<const Plane> planes, std::span<double> w) const;
  /// Of every weight: 1: it is not to be below 0, -1: not above, 0: free. Empty: all are free.
  virtual std::span<const std::int8_t> signs() const { return {}; }
  /// Whether the arrays of a plane read from a file have the form that belongs to this space.
  virtual bool well_formed(const Plane& plane) const;
};

/// The Euclidean space of a given dimension.
class EuclideanGeometry final : public Geometry {
 public:
  explicit EuclideanGeometry(std::size_t dimension, std::vector<std::int8_t> signs = {})
      : dimension_(dimension), signs_(std::move(signs)) {}
  std::size_t dimension() const override { return dimension_; }
  std::span<const std::int8_t> signs() const override { return signs_; }

 private:
  std::size_t dimension_;
  std::vector<std::int8_t> signs_;
};

}  // namespace dorm

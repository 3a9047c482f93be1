// SPDX-License-Identifier: Apache-2.0
#include "model/features/expansion_space.h"

#include <algorithm>
#include <functional>

#include "base/vector/vector_ops.h"

namespace dorm {

double ExpansionSpace::inner(std::span<const double> v, std::span<const double> w) const {
  const std::size_t n = data().num_documents();
  return dorm::dot(v.first(n), w.subspan(n));
}

double ExpansionSpace::dot(std::span<const double> w, const Plane& plane) const {
  return dorm::dot(plane.columns, plane.direction, w.subspan(data().num_documents()));
}

void ExpansionSpace::add(double scale, const Plane& plane, std::span<double> w) const {
  std::vector<double> coefficients;
  for (const float x : plane.direction) coefficients.push_back(scale * static_cast<double>(x));
  add_documents(plane.columns, coefficients, w);
}

// Planes of a query share documents: their coefficients are summed first, so that each row is read once.
void ExpansionSpace::add_all(std::span<const double> scales, std::span<const Plane> planes, std::span<double> w) const {
  std::vector<double> sums;
  std::size_t first = 0;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    if (scales[k] == 0 || planes[k].columns.empty()) continue;
    if (sums.empty()) {
      const std::size_t q = query_of(planes[k].columns[0]);
      first = data().first_document(q);
      sums.assign(data().query(q).size(), 0.0);
    }
    for (std::size_t m = 0; m < planes[k].columns.size(); ++m)
      sums[planes[k].columns[m] - first] += scales[k] * static_cast<double>(planes[k].direction[m]);
  }
  std::vector<std::uint32_t> touched;
  std::vector<double> coefficients;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    touched.push_back(static_cast<std::uint32_t>(first + i));
    coefficients.push_back(sums[i]);
  }
  add_documents(touched, coefficients, w);
}

bool ExpansionSpace::well_formed(const Plane& plane) const {
  if (plane.columns.size() != plane.direction.size()) return false;
  if (plane.columns.empty()) return true;
  return plane.columns.back() < data().num_documents() &&
         query_of(plane.columns.front()) == query_of(plane.columns.back()) &&
         std::adjacent_find(plane.columns.begin(), plane.columns.end(), std::greater_equal<>()) == plane.columns.end();
}

void ExpansionSpace::scores(std::size_t query, std::span<const double> w, std::span<double> out) const {
  std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(data().num_documents() + data().first_document(query)),
              out.size(), out.begin());
}

void ExpansionSpace::pull_back(std::size_t query, std::span<const double> coefficients, Plane& out,
                               PullBackWorkspace&) const {
  out.columns.clear();
  out.direction.clear();
  const auto first = static_cast<std::uint32_t>(data().first_document(query));
  for (std::uint32_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0) continue;
    out.columns.push_back(first + i);
    out.direction.push_back(static_cast<float>(coefficients[i]));
  }
}

std::vector<double> ExpansionSpace::combine(std::span<const double> coefficients, std::size_t) const {
  std::vector<double> w(dimension(), 0.0);
  std::vector<std::uint32_t> touched;
  std::vector<double> values;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0) continue;
    touched.push_back(static_cast<std::uint32_t>(i));
    values.push_back(coefficients[i]);
  }
  add_documents(touched, values, w);
  return w;
}

double ExpansionSpace::work(std::size_t query) const { return static_cast<double>(data().query(query).size()); }

}  // namespace dorm

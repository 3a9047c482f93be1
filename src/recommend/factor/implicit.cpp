// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/implicit.h"

#include <algorithm>
#include <cmath>

#include "base/vector/vector_ops.h"
#include "recommend/factor/co_rating.h"

namespace dorm {
namespace {

using Columns = std::vector<double>;  // one number per column of a matrix

// sum_r weight_r x_rc y_rc for every column c.
Columns column_products(const FactorMatrix& x, const FactorMatrix& y, std::span<const double> weight) {
  Columns sums(x.width, 0.0);
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t c = 0; c < x.width; ++c) sums[c] += weight[r] * x.row(r)[c] * y.row(r)[c];
  return sums;
}

// y_rc += scale_c x_rc.
void add_columns(const Columns& scale, const FactorMatrix& x, FactorMatrix& y) {
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t c = 0; c < x.width; ++c) y.row(r)[c] += scale[c] * x.row(r)[c];
}

Columns ratios(const Columns& x, const Columns& y, double sign) {
  Columns out(x.size());
  for (std::size_t c = 0; c < x.size(); ++c) out[c] = y[c] > 0 ? sign * x[c] / y[c] : 0;
  return out;
}

}  // namespace

void prior_mean(const FactorModel& model, std::span<const std::uint32_t> rated, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (model.implicit.rows == 0 || rated.empty()) return;
  const double scale = 1 / std::sqrt(static_cast<double>(rated.size()));
  for (const std::uint32_t item : rated) axpy(scale, std::span<const double>(model.implicit.row(item)), out.subspan(1));
}

// All columns at once, each with its own step lengths, preconditioned by the diagonal.
void improve_implicit(FactorModel& model, const Ratings& ratings, ThreadPool& pool, std::size_t steps) {
  const CoRating map = CoRating::by_user(ratings, pool);
  const double ridge = model.options.implicit;
  FactorMatrix& y = model.implicit;
  FactorMatrix users(ratings.num_users(), y.width), residual(y.rows, y.width), product(y.rows, y.width);
  std::vector<double> inverse = map.item_norms();
  for (double& x : inverse) x = 1 / (x + ridge);
  const std::vector<double> ones(y.rows, 1.0);

  map.to_users(y, users);
  for (std::size_t u = 0; u < users.rows; ++u)
    for (std::size_t c = 0; c < y.width; ++c) users.row(u)[c] = model.user_factors.row(u)[1 + c] - users.row(u)[c];
  map.to_items(users, residual);
  add_columns(Columns(y.width, -ridge), y, residual);
  FactorMatrix direction(y.rows, y.width);
  Columns rho = column_products(residual, residual, inverse), previous(y.width, 0.0);
  for (std::size_t step = 0; step < steps; ++step) {
    const Columns turn = ratios(rho, previous, 1);  // 0 in the first step
    for (std::size_t r = 0; r < y.rows; ++r)
      for (std::size_t c = 0; c < y.width; ++c)
        direction.row(r)[c] = inverse[r] * residual.row(r)[c] + turn[c] * direction.row(r)[c];
    map.to_users(direction, users);
    map.to_items(users, product);
    add_columns(Columns(y.width, ridge), direction, product);
    const Columns curvature = column_products(direction, product, ones);
    add_columns(ratios(rho, curvature, 1), direction, y);
    add_columns(ratios(rho, curvature, -1), product, residual);
    previous = rho;
    rho = column_products(residual, residual, inverse);
  }
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Ridge regression on labels and features centred within each query: the initial model of training.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/stopwatch.h"
#include "model/features/representation.h"

namespace dorm {

/// Minimises sum over documents of ((y - mean y) - <w, phi - mean phi>)^2 + lambda * documents * scale |w|^2, scale
/// being features.centred_norm(): by the normal equations, formed in one pass, where there are few features
/// (centred_products), else by conjugate gradients without matrices. Once `over` says so the iterate of those is good
/// enough, from the third on. Under the signs of the representation.
std::vector<double> ridge(const Representation& features, double lambda, std::size_t threads,
                          const StopAsked& over = {});

/// The same with other targets than the labels, in document order.
std::vector<double> ridge(const Representation& features, std::span<const double> targets, double lambda,
                          std::size_t threads, const StopAsked& over = {});

/// The same for several lambdas at once, for little more than the smallest one takes.
std::vector<std::vector<double>> ridge_path(const Representation& features, std::span<const double> targets,
                                            std::span<const double> lambdas, std::size_t threads,
                                            const StopAsked& over = {});

/// Each lambda by a decomposition of the products; none where one of them is not positive. With signs of the weights
/// (Geometry::signs) the constrained minimum, by coordinate descent.
std::vector<std::vector<double>> ridge_path(const CentredProducts& products, std::span<const double> lambdas,
                                            std::span<const std::int8_t> signs = {});

/// The normal equations of centred rows without their matrix. Of a space with signs the minimum without them, its
/// weights of the wrong sign set to 0.
struct NormalEquations {
  const Geometry& space;
  double scale;                                                           // sum of the squared norms of the rows
  std::vector<double> targets;                                            // X'y
  std::function<std::vector<double>(std::span<const double> v)> product;  // X'X v
};
std::vector<std::vector<double>> ridge_path(const NormalEquations& equations, std::span<const double> lambdas,
                                            const StopAsked& over = {});

/// X'X v and X'y. Centring the products is enough, since X'P'P X = X'P X for a projection P.
std::vector<double> normal_product(const Representation& features, std::span<const double> v, std::size_t threads);
std::vector<double> target_product(const Representation& features, std::span<const double> targets,
                                   std::size_t threads);

}  // namespace dorm

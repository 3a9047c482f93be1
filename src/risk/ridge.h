// SPDX-License-Identifier: Apache-2.0
// Ridge regression on labels and features centred within each query: the cheap ranker that training starts
// from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "risk/linear_features.h"

namespace dorm {

/// The mean squared norm of a feature row after centring within its query; 0 when there is no such document.
double centred_row_norm(const LinearFeatures& features, std::size_t threads);

/// Minimises sum over documents of ((y - mean y) - <w, x - mean x>)^2 + lambda * documents * scale |w|^2 by
/// conjugate gradients, scale being centred_row_norm(). Matrices are never formed: any number of features
/// will do.
std::vector<double> ridge(const LinearFeatures& features, double lambda, std::size_t threads);

/// The same with other targets than the labels, in document order.
std::vector<double> ridge(const LinearFeatures& features, std::span<const double> targets, double lambda,
                          std::size_t threads);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Reference rankings z0: what the most violated ranking is measured against (the choice of bound).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/oracle.h"

namespace dorm {

/// Where each document stands in the reference: the coefficient c at its position, and the loss of the ranking.
struct Reference {
  std::vector<double> coefficient;
  double loss = 0;
};

/// Label order, equal labels by index.
void reference_given(const PreparedQuery& query, Labels labels, Reference& out);

/// Label order; documents with equal labels share the mean of their coefficients.
void reference_average(const PreparedQuery& query, Labels labels, Reference& out);

/// The ranking of the largest score sum_i c g among those without loss; ties by index.
void reference_best(const PreparedQuery& query, std::span<const double> scores, Reference& out);

/// Descending score, ties by index: the ranking the scores predict.
void reference_predicted(const PreparedQuery& query, std::span<const double> scores, Reference& out);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// One function per format, and what several formats need.
#pragma once

#include <ostream>
#include <vector>

#include "dorm/model.h"

namespace dorm {

/// score = constant + sum of weights[j] x_j of the features as they are in the data.
struct PlainWeights {
  std::vector<double> weights;
  double constant = 0;
};

/// The scaling folded into the weights. Throws Error(unsupported) for kernels, and for scalings that are no line in
/// each feature (logarithms) or that depend on the other documents of the query.
PlainWeights plain_weights(const Model& model);

void export_svmlight(const Model& model, std::ostream& out);
void export_sql(const Model& model, std::ostream& out);

}  // namespace dorm

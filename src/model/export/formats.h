// SPDX-License-Identifier: Apache-2.0
// One function per format, and what several formats need.
#pragma once

#include <ostream>
#include <vector>

#include "dorm/model.h"

namespace dorm {

/// score = constant + sum of weights[j] x_j of the features as they are in the data, or of their logarithms.
struct PlainWeights {
  std::vector<double> weights;
  double constant = 0;
  bool logarithms = false;  // sign(x) ln(1 + |x|) stands for x
};

/// What a format can say of a feature.
enum class Powers { lines, logarithms };

/// The scaling folded into the weights. Throws Error(unsupported) for kernels, and for scalings that depend on the
/// other documents of the query or that the format cannot say.
PlainWeights plain_weights(const Model& model, Powers powers = Powers::lines);

void export_svmlight(const Model& model, std::ostream& out);
void export_sql(const Model& model, std::ostream& out);

}  // namespace dorm

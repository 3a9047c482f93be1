// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {

PlainWeights plain_weights(const Model& model, Powers powers) {
  if (model.kernel)
    throw Error(ErrorCode::unsupported,
                fmt::format("the model has a kernel ({}), which weights of features cannot say", model.kernel->kernel));
  const Scaling& scaling = model.scaling;
  const bool logarithms = scaling.kind == ScalingKind::log_zscore;
  if (scaling.per_query() || (logarithms && powers == Powers::lines))
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the model scales features by {}, which {}; expected a model trained with the scaling none, "
                    "zscore, minmax{}",
                    name_of(scaling.kind),
                    scaling.per_query() ? "depends on the other documents of the query" : "takes logarithms",
                    powers == Powers::lines ? "" : " or log-zscore"));
  PlainWeights plain{model.weights, 0, logarithms};
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) {
    plain.weights[j] = model.weights[j] * scaling.factor[j];
    plain.constant -= plain.weights[j] * scaling.shift[j];
  }
  return plain;
}

}  // namespace dorm

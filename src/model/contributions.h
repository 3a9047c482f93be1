// SPDX-License-Identifier: Apache-2.0
// What features add to the scores of the documents of a data set, for models whose scores are such sums.
#pragma once

#include <optional>
#include <vector>

#include "dorm/model.h"

namespace dorm {

struct Contributions {
  std::vector<double> values;  // row by row, by feature of the model
  double base = 0;             // what every score has beside them
};

/// Nothing for kernels, for trees whose file does not say how many documents reached each node, and for sums with such
/// a part.
std::optional<Contributions> contributions_of(const Model& model, const Dataset& data, std::size_t threads);

}  // namespace dorm

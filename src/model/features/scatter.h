// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "model/features/representation.h"

namespace dorm {

/// The sum of squared scores over all documents, scores centred within their query.
double score_scatter(const Representation& features, std::span<const double> w);
/// The same of scores of all documents of the data.
double score_scatter(const Dataset& data, std::span<const double> scores);

}  // namespace dorm

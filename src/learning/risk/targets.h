// SPDX-License-Identifier: Apache-2.0
// What rankers are fitted to, in document order: labels, gains of labels, labels without ties.
#pragma once

#include <string>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/measure.h"

namespace dorm {

std::vector<double> labels_of(const Dataset& data);

/// The factors b of a measure.
std::vector<double> gains_of(const Dataset& data, const FactoredMeasure& measure);

/// Labels that sort documents by label, then by the feature, largest first, then in the order of their rows: no two of
/// a query are equal. Throws Error(unknown_name) for a feature that the data lacks.
std::vector<float> labels_by_feature(const Dataset& data, const std::string& feature);

/// The measure whose factors b are the gains of the labels themselves.
FactoredMeasurePtr plain_gains(const std::string& convention);

}  // namespace dorm

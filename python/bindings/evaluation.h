// SPDX-License-Identifier: Apache-2.0
// Evaluations as dicts.
#pragma once

#include <nanobind/nanobind.h>

#include "dorm/evaluation/difference.h"

namespace dorm::python {

/// What dorm.MeasureResult is made from.
nanobind::dict to_dict(MeasureResult result);
/// What dorm.Evaluation is made from.
nanobind::dict to_dict(EvaluationTable table);
/// What dorm.Comparison is made from.
nanobind::dict to_dict(const PairedTest& test);
/// What dorm._evaluate.Comparison has beyond that.
void add_size(const DifferenceSize& size, nanobind::dict& out);

}  // namespace dorm::python

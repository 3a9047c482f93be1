// SPDX-License-Identifier: Apache-2.0
// What trainings report, as dicts.
#pragma once

#include <nanobind/nanobind.h>

#include "dorm/train.h"
#include "dorm/tune.h"

namespace dorm::python {

/// By its name. Throws Error(bad_option).
Choice choice_from(const std::string& name);

/// What a solver tells.
nanobind::dict solver_progress(const Progress& progress);
/// What callbacks are told.
nanobind::dict train_progress_dict(const TrainProgress& progress);

/// What dorm.TrainReport is made from, less the validation value of the model.
nanobind::dict train_report_dict(const TrainReport& report, bool interrupted);

}  // namespace dorm::python

// SPDX-License-Identifier: Apache-2.0
// Click logs and propensities between Python and the library.
#pragma once

#include <nanobind/nanobind.h>

#include "dorm/clicks/click_log.h"

namespace dorm::python {

/// Rows (context, position, propensity, se, alpha, beta); se and alpha are NaN where they are not known.
Propensities propensities_from(const nanobind::list& rows);
nanobind::list propensity_rows(const Propensities& propensities);

/// Columns of the log by the names of ClickColumns with _column behind, context, positions and threads.
ClickLogOptions click_log_options(const nanobind::dict& fields);

}  // namespace dorm::python

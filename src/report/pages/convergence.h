// SPDX-License-Identifier: Apache-2.0
// How training went: candidates, certificate, and the way to it.
#pragma once

#include "dorm/apps/pages.h"
#include "dorm/apps/report.h"
#include "dorm/train.h"

namespace dorm::pages {

/// The candidates, the chosen one marked.
report::Table candidates_table(const TrainReport& report, const std::string& measure);

/// Primal, dual and gap of the chosen candidate, gaps of all, against passes and seconds; the validation measure
/// where there is one.
report::Section convergence_section(const TrainResult& result, const TrainingTrace& trace);

}  // namespace dorm::pages

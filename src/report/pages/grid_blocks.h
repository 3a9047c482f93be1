// SPDX-License-Identifier: Apache-2.0
// The cells of a tuning as pictures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dorm/apps/pages.h"
#include "report/pages/evidence.h"

namespace dorm::pages {

/// Of the cells trained for each measure: validation against C, a line per setting; and as a heat map where the grid
/// is nearly full.
std::vector<report::Block> grid_pictures(const TuningReportData& tuning);

/// What the folds say of the cell with the largest share; nothing where there is validation data, or no
/// fold was finished.
std::optional<Evidence> evidence_of_folds(const TrainingReportData& report_data, const TuningReportData& tuning,
                                          std::size_t threads);

/// The delivered ranker against TrainingReportData::baseline, and nothing else: on test queries, on validation data, or
/// by the folds. Nothing where there is no baseline, or no fold was finished.
std::optional<Evidence> evidence_against(const TrainingReportData& report_data, const TuningReportData& tuning,
                                         std::size_t threads);

}  // namespace dorm::pages

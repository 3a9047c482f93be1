// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "dorm/apps/pages.h"
#include "report/pages/evidence.h"

namespace dorm::pages {

/// The page of a model. `evidence`: what the verdict is from, where that is not the data the page judges on.
report::Report training_page(const TrainingReportData& report_data, std::optional<Evidence> evidence,
                             const Origin& origin);

}  // namespace dorm::pages

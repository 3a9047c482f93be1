// SPDX-License-Identifier: Apache-2.0
// What the training data looks like, and what is odd about it.
#pragma once

#include <vector>

#include "dorm/apps/report.h"
#include "dorm/dataset.h"

namespace dorm::pages {

/// Of features that give the label away.
std::vector<report::Notice> leak_notices(const Dataset& data);

/// Labels, lengths of lists, constant and duplicate features.
report::Section profile_section(const Dataset& data);

}  // namespace dorm::pages

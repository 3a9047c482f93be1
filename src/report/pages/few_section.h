// SPDX-License-Identifier: Apache-2.0
// The choice of a few features, on pages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dorm/apps/report.h"
#include "dorm/learning/few_features.h"

namespace dorm::pages {

/// The measure against the number of features, as a picture and a table.
report::Section few_section(const FeaturePath& path, const std::string& measure);

/// The features of a step that the next one does not have; of the last one its own.
std::vector<std::string> left_out_after(const FeaturePath& path, std::size_t step);

}  // namespace dorm::pages

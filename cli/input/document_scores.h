// SPDX-License-Identifier: Apache-2.0
// Scores without a model: from a file, or by one feature.
#pragma once

#include <string>
#include <vector>

#include "dorm/dataset.h"

namespace dorm::cli {

/// One score per row of the file the data was read from, in the order of the documents.
std::vector<double> scores_of_file(const Dataset& data, const std::string& path);

/// Throws Error(unknown_name) with the nearest names.
std::vector<double> scores_of_feature(const Dataset& data, const std::string& name);

}  // namespace dorm::cli

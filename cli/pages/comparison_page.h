// SPDX-License-Identifier: Apache-2.0
// The pages of `dorm compare` and `dorm experiment`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/lab/experiment.h"
#include "dorm/report.h"

namespace dorm::cli {

/// `splits`: what was compared on; `data`: the files they are of.
report::Report comparison_page(const ComparisonResult& result, const std::vector<DataSplit>& splits,
                               const ComparisonOptions& options, const std::vector<std::string>& data,
                               const Settings& settings);

/// One experiment or several on one page. `skipped`: what could not be run, and why.
report::Report experiment_page(std::span<const ExperimentResult> results, const std::vector<std::string>& skipped,
                               const ExperimentOptions& options, const Settings& settings);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// Comparisons of methods and of recommenders: progress, interruption, and the files they write.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/apps/report.h"
#include "dorm/lab/comparison.h"

namespace dorm::cli {

using RunComparison = std::function<ComparisonResult(const ComparisonObserver&)>;

/// The result of `run`. Throws Stopped where a signal interrupted it; the folder `out` keeps finished results.
ComparisonResult compared(const std::string& out, const Settings& settings, const RunComparison& run);

/// Prints the result, and writes the tables into the folder `out` and the page into `reports`.
void deliver_comparison(const ComparisonResult& result, const report::Report& page, const std::string& out,
                        std::vector<std::string> reports, const Settings& settings);

}  // namespace dorm::cli

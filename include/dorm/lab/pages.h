// SPDX-License-Identifier: Apache-2.0
// The pages of `dorm compare` and `dorm lab experiment`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dorm/apps/pages.h"
#include "dorm/apps/report.h"
#include "dorm/lab/experiment.h"
#include "dorm/lab/recommender_comparison.h"

namespace dorm {

/// The test queries for a reader to explore: figures of the best methods, and lists where they differ most.
report::Queries comparison_queries(const ComparisonResult& result, const std::vector<DataSplit>& splits);

/// `queries`: those of comparison_queries(); `data`: the files that were compared on.
report::Report comparison_page(const ComparisonResult& result, const ComparisonOptions& options,
                               const report::Queries& queries, const std::vector<std::string>& data,
                               const pages::Origin& origin = {});

/// The same of recommenders.
report::Report comparison_page(const ComparisonResult& result, const RecommenderComparison& options,
                               const std::vector<std::string>& data, const pages::Origin& origin = {});

/// One experiment or several on one page. `skipped`: what could not be run, and why.
report::Report experiment_page(std::span<const ExperimentResult> results, const std::vector<std::string>& skipped,
                               const ExperimentOptions& options, const pages::Origin& origin = {});

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// `dorm compare --ratings`: recommenders on the same splits.
#pragma once

#include <string>

#include "command.h"
#include "dorm/lab/pages.h"
#include "ratings_input.h"

namespace dorm::cli {

struct RatingsComparison {
  std::string ratings, layout = "auto";
  std::string item_features, item_columns, user_features, user_columns;
  SplitArguments split = {.split = "given:10"};
  RecommenderComparison options;
  bool defaults = false;  // parameters as they are
};

void add_ratings_comparison(CLI::App& app, RatingsComparison& arguments);

/// What is not given here is taken from the options that `compare` has for both: methods, measures, against,
/// convention, seed and the folder of cells.
RecommenderComparison recommender_options(const RatingsComparison& arguments, const std::string& methods,
                                          const std::string& measures, const ComparisonOptions& shared);

ComparisonResult compare_ratings(const RatingsComparison& arguments, const RecommenderComparison& options,
                                 const Settings& settings, const ComparisonObserver& observer);

/// The files it was made from, for the page.
std::vector<std::string> ratings_files(const RatingsComparison& arguments);

}  // namespace dorm::cli

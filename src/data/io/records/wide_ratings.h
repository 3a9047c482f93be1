// SPDX-License-Identifier: Apache-2.0
// Ratings as a matrix in a text file: a line for each user, a column for each item.
#pragma once

#include <string>
#include <vector>

#include "data/io/records/rating_records.h"
#include "dorm/read.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

/// As RatingsLayout describes it. `header` says whether there was one.
Ratings wide_ratings_from(RatingRecords& lines, const RatingsLayout& layout, bool& header,
                          std::vector<std::string>& warnings);

}  // namespace dorm

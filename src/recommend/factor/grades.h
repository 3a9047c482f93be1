// SPDX-License-Identifier: Apache-2.0
// What measures take for the labels of ratings on any scale.
#pragma once

#include "dorm/recommend/factorize.h"

namespace dorm {

RatingGrades grades_of(const Ratings& ratings);

/// The same ratings with their labels for values.
Ratings labelled(const Ratings& ratings, const RatingGrades& grades);

/// The measures of the users' lists, with the labels that the grades make of the ratings.
EvaluationTable evaluate_graded(const RatingGrades& grades, const Ratings& ratings, std::span<const double> scores,
                                std::span<const std::string> measures, const EvaluateOptions& options);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// What measures take for the labels of ratings on any scale.
#pragma once

#include "dorm/factorize.h"

namespace dorm {

RatingGrades grades_of(const Ratings& ratings);

/// The same ratings with their labels for values.
Ratings labelled(const Ratings& ratings, const RatingGrades& grades);

}  // namespace dorm

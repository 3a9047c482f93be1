// SPDX-License-Identifier: Apache-2.0
// EASE: a linear autoencoder of items without a diagonal, in closed form.
#pragma once

#include <optional>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

/// Bytes that fit_ease() needs for this number of items, beside an earlier result.
double ease_bytes(std::size_t items);

/// B by rows, items x items: the minimiser of |X - X B|^2 + ridge |B|^2 with a zero diagonal, X being 1 where a user
/// has had an item. With P = (X^T X + ridge I)^-1, B_ji = -P_ji / P_ii. Nothing when it was stopped. The same bits on
/// any number of threads.
std::optional<std::vector<float>> fit_ease(const Ratings& events, double ridge, ThreadPool& pool,
                                           const StopAsked& stop = {});

}  // namespace dorm

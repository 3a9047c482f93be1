// SPDX-License-Identifier: Apache-2.0
// What is known before learning: ids, fixed coordinates from features, damped item means, small random factors.
#pragma once

#include "base/parallel.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

/// Those that a model depends on, and that it says it was made with.
FactorizeOptions deciding_options(FactorizeOptions options);

/// A model without learning: offsets, fixed coordinates, random shared factors of the items. Its options say which item
/// prior was taken.
FactorModel unlearnt_model(const Ratings& ratings, const FactorizeOptions& options, const FactorizeInputs& inputs,
                           ThreadPool& pool);

/// Writes the fixed coordinates of a row. Features of an id without any are 0, and so are those from neighbours.
void fix_user_row(const FactorLayout& layout, const SideFeatures* features, std::string_view id, std::span<double> row);
void fix_item_row(const FactorLayout& layout, const SideFeatures* features, std::string_view id, std::span<double> row);

/// Copies the learnt coordinates of users and items that `from` knows. Throws Error(bad_input) when its layout differs.
void copy_factors(const FactorModel& from, FactorModel& to);

}  // namespace dorm

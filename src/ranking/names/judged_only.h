// SPDX-License-Identifier: Apache-2.0
// Measures of condensed lists: documents without a judgment are passed over.
#pragma once

#include <memory>

#include "dorm/measure.h"

namespace dorm {

/// Removes the parameter judged_only from the spelling, which every measure takes, and says what it was. Throws
/// Error(bad_option) unless yes or no.
bool take_judged_only(MeasureSpec& spec);

/// The measure of the ranking without documents of negative labels.
std::unique_ptr<const Measure> over_judged_only(std::unique_ptr<const Measure> measure);

}  // namespace dorm

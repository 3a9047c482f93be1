// SPDX-License-Identifier: Apache-2.0
// The grid of `dorm tune` as one writes it: C=10:1e4:10,decay=measure/power:1,bound=best,cutoff=5/10,
// kernel=none/rbf:gamma=0.1
#pragma once

#include <string>

#include "dorm/train.h"
#include "dorm/tune.h"

namespace dorm::cli {

/// Sets the axes that the text names. Values of an axis are separated by /; C may also be LOW:HIGH:FACTOR.
/// `cutoff` varies the n of options.train.measure, which must have one. Throws Error(bad_option).
void parse_grid(const std::string& text, TuneOptions& options);

/// linear or trees; empty: any.
Family parse_family(const std::string& name);

/// best, steady or one-standard-error; throws Error(unknown_name).
Choice parse_choice(const std::string& name);

}  // namespace dorm::cli

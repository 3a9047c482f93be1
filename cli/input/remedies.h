// SPDX-License-Identifier: Apache-2.0
// Options that repair a table: the library reports the error, and the command adds the option.
#pragma once

#include <string>

#include "dorm/error.h"

namespace dorm::cli {

/// The error with the options that help. `by_model`: the data was read with the options of a model.
Error with_options(const Error& error, bool by_model);

/// One option as it would be typed, e.g. --ignore-column 'product title,brand'.
std::string option_text(const Remedy& remedy);

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
// What helps, in the words of the command: the library knows what is wrong with a table, the command which
// option mends it.
#pragma once

#include <string>

#include "dorm/error.h"

namespace dorm::cli {

/// The error with the options that help. `by_model`: the data was read for a model, as that says.
Error with_options(const Error& error, bool by_model);

/// One option as it would be typed, e.g. --ignore-column 'product title,brand'.
std::string option_text(const Remedy& remedy);

}  // namespace dorm::cli

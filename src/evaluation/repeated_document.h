// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dorm {

/// Throws Error(bad_input): `where` holds the document of the query twice.
[[noreturn]] void throw_repeated_document(std::string_view query, std::string_view document, std::string_view where);

}  // namespace dorm

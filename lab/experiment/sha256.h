// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), for files that come from elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace dorm {

/// 64 hexadecimal digits, lower case.
std::string sha256(std::string_view bytes);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "base/validate.h"

#include <fmt/format.h>

#include "dorm/error.h"

namespace dorm {

void require(bool holds, std::string_view field, double value, std::string_view allowed) {
  if (!holds) throw Error(ErrorCode::bad_option, fmt::format("{} is {}; expected {}", field, value, allowed));
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Figures of the machine that a stand-in shows, from variables of the environment.
#pragma once

#include <cstdlib>

namespace dorm::test {

/// The variable as a number; `otherwise` where it is not set.
inline int figure(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

inline int driver_version() { return figure("DORM_STAND_IN_VERSION", 13000); }
inline int gpus() { return figure("DORM_STAND_IN_CARDS", 1); }

}  // namespace dorm::test

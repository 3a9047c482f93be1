// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace dorm::test {

/// The device that tests of devices run on: the one that DORM_TEST_DEVICE names (make test-gpu), or threads.
inline std::string tested_device() {
  const char* const named = std::getenv("DORM_TEST_DEVICE");
  return named ? named : "host";
}

}  // namespace dorm::test

// SPDX-License-Identifier: Apache-2.0
// The instruction sets this machine can run.
#pragma once

#include <vector>

#include "base/vector/cpu.h"

namespace dorm::test {

inline std::vector<SimdLevel> simd_levels() {
  std::vector<SimdLevel> out;
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512})
    if (level <= simd_level()) out.push_back(level);
  return out;
}

}  // namespace dorm::test

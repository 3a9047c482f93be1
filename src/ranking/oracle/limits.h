// SPDX-License-Identifier: Apache-2.0
// The largest problems for which each algorithm is used.
#pragma once

#include <cstddef>

#include "dorm/oracle.h"

namespace dorm::oracle {

inline constexpr std::size_t kMaxClasses = 16;    // distinct gains of a merge
inline constexpr std::size_t kMaxExchange = 64;   // positions the exchange augments
inline constexpr std::size_t kMaxSelection = 32;  // positions worth selecting rather than sorting
inline constexpr std::size_t kMaxDense = 2000;    // documents of the dense solver (32 MB of costs)

}  // namespace dorm::oracle

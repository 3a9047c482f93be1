// SPDX-License-Identifier: Apache-2.0
// 1 / log2(rank + 1), for hand arithmetic.
#pragma once

#include <cmath>

namespace dorm::test {

inline const double kSecond = 1 / std::log2(3.), kThird = 1 / 2., kFourth = 1 / std::log2(5.),
                    kFifth = 1 / std::log2(6.);

}  // namespace dorm::test

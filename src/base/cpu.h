// SPDX-License-Identifier: Apache-2.0
// Which vector instructions this processor has. Kernels with several versions take the level as an argument, so that
// the tests can run every version the machine can.
#pragma once

namespace dorm {

enum class SimdLevel { portable, avx2, avx512 };

/// The best level of this processor; asked once.
SimdLevel simd_level();

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Compiled apart from its folder: this one file follows every change of a source.
#include "lab/compare/build_identity.h"

#include "dorm/lab/comparison.h"

namespace dorm {

std::string build_identity() { return DORM_VERSION " build " DORM_BUILD_IDENTITY; }

}  // namespace dorm

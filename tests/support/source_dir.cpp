// SPDX-License-Identifier: Apache-2.0
#include "support/source_dir.h"

namespace dorm::test {

std::string source_dir() { return DORM_SOURCE_DIR; }

}  // namespace dorm::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dorm::test {

/// The folder of the sources. One unit knows it, so that compilers' caches serve all checkouts with the others.
std::string source_dir();

}  // namespace dorm::test

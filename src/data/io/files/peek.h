// SPDX-License-Identifier: Apache-2.0
// What a file begins with, for finding out what it is before it is read.
#pragma once

#include <cstddef>
#include <string>

namespace dorm {

/// The first `count` bytes, fewer where the file ends before. Pipes that this process holds open (standard input, the
/// shell's <(...)) are waited for and lose nothing: whoever opens the path next reads them from the beginning. Nothing
/// for what cannot be looked at without taking from it, such as named pipes and terminals. Throws Error(io) when a file
/// cannot be read.
std::string first_bytes(const std::string& path, std::size_t count);

}  // namespace dorm

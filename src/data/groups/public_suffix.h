// SPDX-License-Identifier: Apache-2.0
// Public suffixes, under which anybody may register a name: the list of publicsuffix.org through libpsl where the build
// found it (public_suffix_psl.cpp), a short list elsewhere (public_suffix_short.cpp).
#pragma once

#include <cstddef>
#include <string>

namespace dorm {

/// Where in `host`, a name in lower case, the registered domain begins; 0 when the whole of it is a public suffix.
std::size_t registered_begin(const std::string& host);

}  // namespace dorm

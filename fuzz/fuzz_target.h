// SPDX-License-Identifier: Apache-2.0
// What every target needs: a reader may refuse its input with an Error, and with nothing else.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dorm/error.h"

namespace dorm::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, which the fuzzer reports together with the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

template <class Body>
int run(Body body) {
  try {
    body();
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

}  // namespace dorm::fuzz

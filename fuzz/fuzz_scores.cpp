// SPDX-License-Identifier: Apache-2.0
// Files of scores: every score read is finite.
#include <cmath>

#include "dorm/read.h"
#include "fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return dorm::fuzz::run([&] {
    for (double score : dorm::parse_scores(dorm::fuzz::as_text(data, size), "input"))
      dorm::fuzz::require(std::isfinite(score));
  });
}

// SPDX-License-Identifier: Apache-2.0
// TREC judgments and runs; the first byte chooses which.
#include <cmath>

#include "dorm/read.h"
#include "fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = dorm::fuzz::as_text(data + 1, size - 1);
  return dorm::fuzz::run([&] {
    if (data[0] % 2 == 0) {
      for (const dorm::Judgment& judgment : dorm::parse_qrels(text, "input"))
        dorm::fuzz::require(std::isfinite(judgment.label) && !judgment.document.empty());
    } else {
      for (const dorm::RunEntry& entry : dorm::parse_run(text, "input"))
        dorm::fuzz::require(std::isfinite(entry.score) && !entry.query.empty());
    }
  });
}

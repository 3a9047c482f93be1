// SPDX-License-Identifier: Apache-2.0
// LETOR text: what can be read and written again must read the same. The first byte chooses the options.
#include <sstream>

#include "dorm/read.h"
#include "dorm/write.h"
#include "fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  return dorm::fuzz::run([&] {
    dorm::ReadOptions options;
    options.threads = 1;
    options.missing = static_cast<dorm::Missing>(data[0] % 3);
    const dorm::Dataset first = dorm::parse_letor(dorm::fuzz::as_text(data + 1, size - 1), "input", options);
    std::ostringstream text;
    dorm::write_letor(first, text);
    const dorm::Dataset second = dorm::parse_letor(text.str(), "written", options);
    dorm::fuzz::require(first.fingerprint() == second.fingerprint());
  });
}

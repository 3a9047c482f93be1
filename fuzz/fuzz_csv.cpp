// SPDX-License-Identifier: Apache-2.0
// Separated values: what can be read and written again must read the same. The first byte chooses the options.
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
    options.format = data[0] % 2 == 0 ? dorm::DataFormat::csv : dorm::DataFormat::tsv;
    const dorm::Dataset first = dorm::parse_csv(dorm::fuzz::as_text(data + 1, size - 1), "input", options);
    std::ostringstream text;
    dorm::write_csv(first, text, data[0] % 2 == 0 ? ',' : '\t');
    const dorm::Dataset second = dorm::parse_csv(text.str(), "written", options);
    dorm::fuzz::require(first.fingerprint() == second.fingerprint());
  });
}

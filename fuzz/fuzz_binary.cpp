// SPDX-License-Identifier: Apache-2.0
// The binary form: a file that is accepted can be walked through whole. Checksums would hide everything
// behind them from the fuzzer, so they are not verified in every second input.
#include <span>

#include "dorm/dataset.h"
#include "fuzz_target.h"
#include "io/binary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  return dorm::fuzz::run([&] {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
    const dorm::Dataset set = dorm::parse_binary(bytes, "input", data[0] % 2 == 0);
    set.fingerprint();
    for (std::size_t document = 0; document < set.num_documents(); ++document) set.source_row(document);
  });
}

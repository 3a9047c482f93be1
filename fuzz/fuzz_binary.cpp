// SPDX-License-Identifier: Apache-2.0
// The binary form: a file that is accepted can be walked through whole. The checksum of the header is set right, and
// those of the sections are not looked at in every second input (first byte): they would hide everything behind them
// from the fuzzer.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "base/checksum_v1.h"
#include "data/io/binary.h"
#include "dorm/dataset.h"
#include "fuzz_target.h"

namespace {

void sign_header(std::span<std::byte> bytes) {
  dorm::BinaryHeader header;
  if (bytes.size() < sizeof header) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t room = (bytes.size() - sizeof header) / sizeof(dorm::SectionEntry);
  const std::size_t sections = std::min<std::size_t>(header.num_sections, room);
  header.checksum = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum =
      dorm::checksum_of_version(header.major, bytes.first(sizeof header + sections * sizeof(dorm::SectionEntry)));
  std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> input(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  std::vector<std::byte> bytes(input.begin(), input.end());
  sign_header(bytes);
  return dorm::fuzz::run([&] {
    const dorm::Dataset set = dorm::parse_binary(bytes, "input", data[0] % 2 == 0);
    set.fingerprint();
    for (std::size_t document = 0; document < set.num_documents(); ++document) set.source_row(document);
  });
}

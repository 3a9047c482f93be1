// SPDX-License-Identifier: Apache-2.0
// Files as stored: mapped, gzip or zstd, by their content. Read through a file in memory.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "dorm/read.h"
#include "fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  dorm::fuzz::require(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
  const int result = dorm::fuzz::run([&] {
    dorm::ReadOptions options;
    options.threads = 1;
    options.side_files = false;
    dorm::read_letor("/proc/self/fd/" + std::to_string(file), options);
  });
  ::close(file);
  return result;
}

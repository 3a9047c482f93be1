// SPDX-License-Identifier: Apache-2.0
#include "base/page_supply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/page_buffer.h"

namespace dorm {
namespace {

constexpr std::size_t kSize = (std::size_t{9} << 20) + 12345;  // whole large pages, and parts of them at both ends

/// How many of the pages of [data, data + size) have memory.
std::size_t resident(char* data, std::size_t size) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  if (::mincore(data, size, pages.data()) != 0) return 0;
  return static_cast<std::size_t>(std::count_if(pages.begin(), pages.end(), [](unsigned char x) { return x & 1; }));
}

TEST(PageSupply, GoesAheadOfTheWriterButNotBehindTheEnd) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  PageBuffer<char> buffer(kSize + (std::size_t{4} << 20));
  char* const end = buffer.data() + kSize;
  PageSupply supply;
  char* at = supply.provide(buffer.data(), buffer.data() + 1, end);
  if (resident(buffer.data(), kSize) == 0) GTEST_SKIP() << "this system gives no pages on request";
  EXPECT_LT(at, end);
  for (std::size_t written = 0; written < kSize; written += 50000) {
    char* const until = buffer.data() + std::min(kSize, written + 50000);
    at = supply.provide(at, until, end);
    ASSERT_GE(at, until);
    ASSERT_LE(at, end);
    const auto given = static_cast<std::size_t>(at - buffer.data());
    ASSERT_EQ(resident(buffer.data(), given), (given + page - 1) / page);
    std::fill(buffer.data() + written, until, 'x');
  }
  EXPECT_EQ(at, end);
  EXPECT_EQ(resident(buffer.data(), buffer.size()), (kSize + page - 1) / page);
  EXPECT_EQ(std::count(buffer.data(), end, 'x'), static_cast<std::ptrdiff_t>(kSize));  // nothing was taken back
}

}  // namespace
}  // namespace dorm

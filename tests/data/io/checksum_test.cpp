// SPDX-License-Identifier: Apache-2.0
#include "data/io/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace dorm {
namespace {

std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 167 + 13);
  return bytes;
}

// The definition of docs/formats.md, written a second time: a byte at a time, no streaming.
std::uint64_t by_definition(std::vector<std::byte> bytes) {
  const auto turned = [](std::uint64_t x) { return (x << 29 | x >> 35) * 0xD6E8FEB86659FD93u; };
  std::uint64_t lane[4] = {0x243F6A8885A308D3u, 0x13198A2E03707344u, 0xA4093822299F31D0u, 0x082EFA98EC4E6C89u};
  std::uint64_t hash = bytes.size();
  while (bytes.size() % 32 != 0) bytes.push_back(std::byte{0});
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 8; k-- > 0;) word = word << 8 | std::to_integer<std::uint64_t>(bytes[i + k]);
    lane[i / 8 % 4] = turned(lane[i / 8 % 4] + word * 0x9FB21C651E98DF25u);
  }
  for (const std::uint64_t l : lane) hash = turned(hash + (l ^ l >> 32) * 0x9FB21C651E98DF25u);
  return hash ^ hash >> 32;
}

TEST(Checksum, FollowsItsDefinition) {
  for (std::size_t count : {0u, 1u, 8u, 31u, 32u, 33u, 64u, 1000u})
    EXPECT_EQ(checksum(some_bytes(count)), by_definition(some_bytes(count))) << count;
}

TEST(Checksum, DoesNotDependOnThePieces) {
  const std::vector<std::byte> bytes = some_bytes(300);
  for (std::size_t piece : {1u, 3u, 31u, 32u, 33u, 100u}) {
    Checksum sum;
    for (std::size_t i = 0; i < bytes.size(); i += piece)
      sum.update(std::span(bytes).subspan(i, std::min(piece, bytes.size() - i)));
    EXPECT_EQ(sum.value(), checksum(bytes)) << piece;
  }
}

TEST(Checksum, NoticesEveryBitAndEveryZeroAtTheEnd) {
  std::vector<std::byte> bytes = some_bytes(77);
  std::set<std::uint64_t> seen = {checksum(bytes)};
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_TRUE(seen.insert(checksum(bytes)).second) << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  for (std::size_t zeros = 0; zeros < 70; ++zeros) {
    bytes.push_back(std::byte{0});
    EXPECT_TRUE(seen.insert(checksum(bytes)).second) << zeros;
  }
}

}  // namespace
}  // namespace dorm

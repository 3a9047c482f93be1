// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace dorm {
namespace {

// The bytes that the tests of xxHash itself are made of (cli/xsum_sanity_check.c).
std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::uint64_t state = 2654435761u;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(state >> 56);
    state *= 11400714785074694797u;
  }
  return bytes;
}

TEST(Checksum, IsXxh3) {
  const std::pair<std::size_t, std::uint64_t> published[] = {
      {0, 0x2D06800538D394C2u},   {1, 0xC44BDFF4074EECDBu},   {6, 0x27B56A84CD2D7325u},   {12, 0xA713DAF0DFBB77E7u},
      {24, 0xA3FE70BF9D3510EBu},  {48, 0x397DA259ECBA1F11u},  {80, 0xBCDEFBBB2C47C90Au},  {195, 0xCD94217EE362EC3Au},
      {403, 0xCDEB804D65C6DEA4u}, {512, 0x617E49599013CB6Bu}, {2048, 0xDD59E2C3A5F038E0u}};
  for (const auto& [count, sum] : published) EXPECT_EQ(checksum(some_bytes(count)), sum) << count;
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

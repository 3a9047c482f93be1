// SPDX-License-Identifier: Apache-2.0
// The 64-bit checksum of the binary form. It guards against damage, not against an attacker. Each step is a bijection
// of the word it takes in, so a change confined to one aligned 8-byte word never goes unnoticed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dorm {

/// Four lanes take turns with the 8-byte words: lane = rotl(lane + word * kA, 29) * kB. The last block is filled with
/// zeros; the length enters the result, so zeros at the end count. docs/formats.md has the whole definition.
class Checksum {
 public:
  void update(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  static constexpr std::size_t kBlock = 32;
  void absorb(const std::byte* blocks, std::size_t count);

  std::array<std::uint64_t, 4> lanes_ = {0x243F6A8885A308D3u, 0x13198A2E03707344u, 0xA4093822299F31D0u,
                                         0x082EFA98EC4E6C89u};
  std::array<std::byte, kBlock> tail_ = {};
  std::uint64_t length_ = 0;
};

std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace dorm

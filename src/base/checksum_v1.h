// SPDX-License-Identifier: Apache-2.0
// The checksum that version 1 of the binary form, of factor models and of kernel models carries; only for reading them.
// Four lanes take turns with the 8-byte words, the last block filled with zeros; the length enters the result.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/checksum.h"

namespace dorm {

inline std::uint64_t checksum_v1(std::span<const std::byte> bytes) {
  const auto step = [](std::uint64_t lane, std::uint64_t word) {
    return std::rotl(lane + word * 0x9FB21C651E98DF25u, 29) * 0xD6E8FEB86659FD93u;
  };
  std::array<std::uint64_t, 4> lanes = {0x243F6A8885A308D3u, 0x13198A2E03707344u, 0xA4093822299F31D0u,
                                        0x082EFA98EC4E6C89u};
  for (std::size_t at = 0; at < bytes.size(); at += sizeof lanes) {
    std::array<std::uint64_t, 4> words = {};
    std::memcpy(words.data(), bytes.data() + at, std::min(sizeof words, bytes.size() - at));
    for (std::size_t k = 0; k < lanes.size(); ++k) lanes[k] = step(lanes[k], words[k]);
  }
  std::uint64_t hash = bytes.size();
  for (const std::uint64_t lane : lanes) hash = step(hash, lane ^ (lane >> 32));
  return hash ^ (hash >> 32);
}

/// What a file of this version of its format carries.
inline std::uint64_t checksum_of_version(std::uint64_t version, std::span<const std::byte> bytes) {
  return version == 1 ? checksum_v1(bytes) : checksum(bytes);
}

}  // namespace dorm

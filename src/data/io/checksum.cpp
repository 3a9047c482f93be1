// SPDX-License-Identifier: Apache-2.0
#include "data/io/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dorm {
namespace {

constexpr std::uint64_t kA = 0x9FB21C651E98DF25u;  // odd, so that multiplication is a bijection
constexpr std::uint64_t kB = 0xD6E8FEB86659FD93u;

std::uint64_t step(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane + word * kA, 29) * kB; }

}  // namespace

void Checksum::absorb(const std::byte* blocks, std::size_t count) {
  auto [l0, l1, l2, l3] = lanes_;
  for (std::size_t i = 0; i < count; ++i, blocks += kBlock) {
    std::array<std::uint64_t, 4> word;
    std::memcpy(word.data(), blocks, kBlock);
    l0 = step(l0, word[0]);
    l1 = step(l1, word[1]);
    l2 = step(l2, word[2]);
    l3 = step(l3, word[3]);
  }
  lanes_ = {l0, l1, l2, l3};
}

void Checksum::update(std::span<const std::byte> bytes) {
  const std::size_t held = length_ % kBlock;
  length_ += bytes.size();
  if (held != 0) {
    const std::size_t taken = std::min(kBlock - held, bytes.size());
    std::copy_n(bytes.data(), taken, tail_.data() + held);
    if (held + taken < kBlock) return;
    absorb(tail_.data(), 1);
    bytes = bytes.subspan(taken);
  }
  absorb(bytes.data(), bytes.size() / kBlock);
  const std::span<const std::byte> rest = bytes.last(bytes.size() % kBlock);
  std::copy(rest.begin(), rest.end(), tail_.begin());
}

std::uint64_t Checksum::value() const {
  Checksum last = *this;
  if (const std::size_t held = length_ % kBlock; held != 0) {
    std::fill(last.tail_.begin() + static_cast<std::ptrdiff_t>(held), last.tail_.end(), std::byte{0});
    last.absorb(last.tail_.data(), 1);
  }
  std::uint64_t hash = length_;
  for (const std::uint64_t lane : last.lanes_) hash = step(hash, lane ^ (lane >> 32));
  return hash ^ (hash >> 32);
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.update(bytes);
  return sum.value();
}

}  // namespace dorm

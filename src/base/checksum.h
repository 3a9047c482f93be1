// SPDX-License-Identifier: Apache-2.0
// The one checksum of files and keys: XXH3 of 64 bits (xxhash.com). It guards against damage, not against an attacker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dorm {

std::uint64_t checksum(std::span<const std::byte> bytes);

/// The same of bytes that come in pieces.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  void update(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dorm

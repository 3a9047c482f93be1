// SPDX-License-Identifier: Apache-2.0
// Sets the checksums of mutated files right: they guard against accidents, not against a file that was made to deceive,
// and they would hide everything behind them from the fuzzer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/checksum.h"
#include "base/json.h"
#include "dorm/error.h"

namespace dorm::fuzz {

inline std::uint64_t sum_of(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

/// "FORMAT VERSION\n", a header and arrays, u64 checksum.
inline std::string signed_archive(std::string content) {
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  if (content.size() < kSum) return content;
  const std::uint64_t sum = sum_of(std::string_view(content).substr(0, content.size() - kSum));
  std::memcpy(content.data() + content.size() - kSum, &sum, kSum);
  return content;
}

/// A solver state: magic, u32 version, u32 zero, u64 payload bytes, u64 checksum, payload.
inline std::string signed_state(std::string content) {
  constexpr std::size_t kSize = 16, kSum = 24, kPayload = 32;
  if (content.size() < kPayload) return content;
  const std::uint64_t size = content.size() - kPayload;
  const std::uint64_t sum = sum_of(std::string_view(content).substr(kPayload));
  std::memcpy(content.data() + kSize, &size, sizeof size);
  std::memcpy(content.data() + kSum, &sum, sizeof sum);
  return content;
}

/// A checkpoint of training: a line with the checksum, a line of JSON, a solver state.
inline std::string signed_checkpoint(std::string_view content) {
  const std::size_t header = std::min(content.find('\n'), content.size());
  const std::string_view rest = content.substr(std::min(header + 1, content.size()));
  const std::string_view json = rest.substr(0, rest.find('\n'));
  return fmt::format("dorm-checkpoint 3 {:016x}\n{}\n{}", sum_of(json), json,
                     signed_state(std::string(rest.substr(std::min(json.size() + 1, rest.size())))));
}

/// A record of a comparison: JSON with a checksum of the rest of it.
inline std::string signed_cell(std::string_view content) {
  try {
    Json json = parse_json(content, "cell", "a cell");
    if (!json.is_object()) return std::string(content);
    json.erase("checksum");
    json["checksum"] = fmt::format("{:016x}", sum_of(printable_json(json)));
    return printable_json(json);
  } catch (const Error&) {
    return std::string(content);
  }
}

}  // namespace dorm::fuzz

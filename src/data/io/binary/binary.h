// SPDX-License-Identifier: Apache-2.0
// The binary form `.dorm`: a header, a table of sections, and the arrays of Storage as they lie in memory, each
// starting at a multiple of 64 bytes, so that a mapped file is used in place. docs/formats.md has the layout.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "dorm/dataset.h"

namespace dorm {

/// The first byte does not occur in text; the line ends show whether a transfer in text mode has changed the file.
inline constexpr std::string_view kBinaryMagic =
    "\x89"
    "DORM\r\n\x1A";
inline constexpr std::uint32_t kByteOrderMark = 0x01020304;
inline constexpr std::uint16_t kBinaryMajor = 2;  // no other is read
inline constexpr std::uint16_t kBinaryMinor = 1;  // raised when sections are added that may be ignored
inline constexpr std::size_t kSectionAlignment = 64;

enum class SectionId : std::uint32_t {
  values = 1,
  columns,
  row_end,
  labels,
  source_rows,
  document_id_end,
  document_id_text,
  group_of,
  group_name_end,
  group_name_text,
  query_end,
  query_id_end,
  query_id_text,
  query_weights,
  feature_name_end,
  feature_name_text,
  input,  // JSON: how it was read, and {"labels": false} where there were none
};

struct BinaryHeader {
  std::array<char, 8> magic = {};
  std::uint32_t byte_order = kByteOrderMark;
  std::uint16_t major = kBinaryMajor, minor = kBinaryMinor;
  std::uint64_t file_bytes = 0;
  std::uint64_t num_documents = 0, num_queries = 0, num_features = 0;
  std::uint64_t stride = 0;      // floats from row to row; 0 in the compressed form
  std::uint64_t num_values = 0;  // stored values; num_documents * stride when dense
  std::uint32_t dense = 1;
  std::uint32_t first_feature_id = 1;
  std::uint32_t num_sections = 0;
  std::uint32_t reserved = 0;
  std::uint64_t checksum = 0;  // of the header, with 0 here, and the section table
};
static_assert(sizeof(BinaryHeader) == 88 && std::is_trivially_copyable_v<BinaryHeader>);

/// The table follows the header; entries are in file order.
struct SectionEntry {
  std::uint32_t id = 0;
  std::uint32_t reserved = 0;
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(SectionEntry) == 32 && std::is_trivially_copyable_v<SectionEntry>);

constexpr std::uint64_t align_section(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

/// Whether a file that begins with these bytes is in the binary form; eight bytes are enough.
inline bool is_binary(std::string_view head) { return head.substr(0, kBinaryMagic.size()) == kBinaryMagic; }

/// The binary form in memory. Copies `bytes` (they may be temporary or unaligned) once the header has been checked, so
/// nothing larger than the input is allocated; `name` replaces the path in messages.
Dataset parse_binary(std::span<const std::byte> bytes, const std::string& name, bool verify = true,
                     std::size_t threads = 1);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "data/io/binary/binary_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/checksum.h"
#include "data/storage.h"

namespace dorm {
namespace {

constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 31;
constexpr std::uint64_t kMaxQueries = std::numeric_limits<std::uint32_t>::max();
// Keeps every product of a count and an element size within 64 bits.
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 48;

}  // namespace

Layout::Layout(Bytes bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  read_header();
  read_table();
  check_counts();
}

Layout::Bytes Layout::find(SectionId id) const {
  for (std::size_t section = 0; section < table_.size(); ++section)
    if (table_[section].id == static_cast<std::uint32_t>(id)) return content(section);
  return {};
}

void Layout::read_header() {
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  if (!is_binary(text) && !kBinaryMagic.starts_with(text))
    refuse("not in the binary form of dorm (its first eight bytes differ); text formats need another name");
  if (bytes_.size() < sizeof header_) refuse_truncated();
  std::memcpy(&header_, bytes_.data(), sizeof header_);
  if (header_.byte_order != kByteOrderMark)
    refuse("written on a machine of the other byte order; convert the text form on this machine");
  if (header_.major != kBinaryMajor)
    refuse(
        fmt::format("found version {}.{} of the binary form; expected version {}: convert the original data with this "
                    "dorm",
                    header_.major, header_.minor, kBinaryMajor));
  if (bytes_.size() < header_.file_bytes) refuse_truncated();
  if (bytes_.size() > header_.file_bytes)
    refuse_damaged(fmt::format("{} bytes, but the header says {}", bytes_.size(), header_.file_bytes));
}

void Layout::refuse_truncated() const {
  refuse(fmt::format("truncated: {} bytes, expected {}; copy or convert it again", bytes_.size(),
                     bytes_.size() < sizeof header_ ? fmt::format("at least {}", sizeof header_)
                                                    : std::to_string(header_.file_bytes)));
}

void Layout::read_table() {
  if (header_.num_sections > (bytes_.size() - sizeof header_) / sizeof(SectionEntry))
    refuse_damaged(fmt::format("{} sections do not fit the file", header_.num_sections));
  table_.resize(header_.num_sections);
  if (!table_.empty()) std::memcpy(table_.data(), bytes_.data() + sizeof header_, table_.size() * sizeof(SectionEntry));
  BinaryHeader unsigned_header = header_;
  unsigned_header.checksum = 0;
  const Bytes head = std::as_bytes(std::span(&unsigned_header, 1)), table = std::as_bytes(std::span(table_));
  std::vector<std::byte> covered(head.begin(), head.end());
  covered.insert(covered.end(), table.begin(), table.end());
  if (checksum(covered) != header_.checksum) refuse_damaged("the header does not match its checksum");
  find_sections();
}

// Sections follow one another, the gaps are zeros, and the file ends with the last one.
void Layout::find_sections() {
  std::uint64_t end = sizeof header_ + table_.size() * sizeof(SectionEntry);
  std::vector<std::uint32_t> ids;
  for (const SectionEntry& entry : table_) {
    if (entry.offset != align_section(end) || entry.offset > bytes_.size() ||
        entry.bytes > bytes_.size() - entry.offset)
      refuse_damaged(fmt::format("section {} is out of place", entry.id));
    const Bytes gap = bytes_.subspan(end, entry.offset - end);
    if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{0}; }))
      refuse_damaged(fmt::format("the gap before section {} is not zero", entry.id));
    end = entry.offset + entry.bytes;
    ids.push_back(entry.id);
    content_.push_back(bytes_.subspan(entry.offset, entry.bytes));
  }
  if (end != bytes_.size()) refuse_damaged("bytes after the last section");
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) refuse_damaged("a section occurs twice");
}

void Layout::check_counts() const {
  const BinaryHeader& h = header_;
  const auto limit = [this](const char* what, std::uint64_t value, std::uint64_t most) {
    if (value > most) refuse_damaged(fmt::format("{} {}, at most {} are possible", value, what, most));
  };
  limit("features", h.num_features, kMaxFeatures);
  limit("queries", h.num_queries, std::min(kMaxQueries, h.num_documents));
  limit("documents", h.num_documents, kMaxCount);
  limit("stored values", h.num_values, kMaxCount);
  if (h.dense > 1 || h.first_feature_id > 1 || h.reserved != 0) refuse_damaged("a header field is out of range");
  const std::uint64_t stride = h.dense == 1 ? dense_stride(h.num_features) : 0;
  if (h.stride != stride) refuse_damaged(fmt::format("row stride {}, expected {}", h.stride, stride));
  if (h.dense == 1 &&
      ((stride > 0 && h.num_documents > kMaxCount / stride) || h.num_values != h.num_documents * stride))
    refuse_damaged(fmt::format("{} stored values do not make {} rows", h.num_values, h.num_documents));
}

}  // namespace dorm

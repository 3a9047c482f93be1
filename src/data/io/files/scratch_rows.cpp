// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/scratch_rows.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <system_error>
#include <utility>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kBufferedInAll = std::size_t{1} << 26;
constexpr std::size_t kScratchValuesPerBlock = std::size_t{1} << 20;

// Before the bytes of query, document, group, ids (where they are listed) and values.
struct RowRecord {
  float label;
  std::uint32_t query, document, group;  // bytes
  std::uint32_t first, count;            // as in RowBlock
};

Error scratch_error(const std::string& folder, const char* action) {
  return {ErrorCode::io, {folder, 0, 0}, fmt::format("{}: {}", action, std::generic_category().message(errno))};
}

int open_unnamed(const std::string& folder) {
#if defined(O_TMPFILE)
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
#endif
  std::string path = folder + "/.dorm-rows-XXXXXX";
  const int named = ::mkstemp(path.data());
  if (named < 0) throw scratch_error(folder, "cannot write");
  ::unlink(path.c_str());
  return named;
}

template <class T>
void append_items(std::string& out, const T* items, std::size_t count) {
  out.append(reinterpret_cast<const char*>(items), count * sizeof(T));
}

std::string_view take_text(std::string_view& bytes, std::size_t size) {
  const std::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

// Items off the front of `bytes`, which need not be aligned.
template <class T>
void take_items(std::string_view& bytes, T* items, std::size_t count) {
  if (count > 0) std::memcpy(items, bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
}

struct RowReader {
  float label = 0;
  RowBlockWriter::Names names;
  std::vector<std::uint32_t> ids;
  std::vector<float> values;

  void take_row(std::string_view& bytes, const ScratchRows::NewId& new_id) {
    RowRecord record{};
    take_items(bytes, &record, 1);
    label = record.label;
    names.query = take_text(bytes, record.query);
    names.document = take_text(bytes, record.document);
    names.group = take_text(bytes, record.group);
    ids.resize(record.count);
    values.resize(record.count);
    if (record.first == RowBlock::kListed)
      take_items(bytes, ids.data(), record.count);
    else
      std::iota(ids.begin(), ids.end(), record.first);
    take_items(bytes, values.data(), record.count);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const std::uint32_t id = new_id(ids[k]);
      if (id == ScratchRows::kPruned) continue;
      ids[kept] = id;
      values[kept++] = values[k];
    }
    ids.resize(kept);
    values.resize(kept);
  }
};

}  // namespace

ScratchRows::ScratchRows(std::string folder, std::size_t parts)
    : folder_(std::move(folder)),
      descriptor_(open_unnamed(folder_)),
      buffered_(std::clamp<std::size_t>(kBufferedInAll / std::max<std::size_t>(parts, 1), 4096, 1 << 20)),
      buffers_(parts),
      pieces_(parts) {}

ScratchRows::~ScratchRows() { ::close(descriptor_); }

void ScratchRows::add(std::size_t part, float label, const RowBlockWriter::Names& names, const BlockRow& row) {
  std::string& out = buffers_[part];
  const RowRecord record{label,
                         static_cast<std::uint32_t>(names.query.size()),
                         static_cast<std::uint32_t>(names.document.size()),
                         static_cast<std::uint32_t>(names.group.size()),
                         row.ids.empty() ? row.first : RowBlock::kListed,
                         static_cast<std::uint32_t>(row.values.size())};
  append_items(out, &record, 1);
  for (const std::string_view name : {names.query, names.document, names.group}) out += name;
  append_items(out, row.ids.data(), row.ids.size());
  append_items(out, row.values.data(), row.values.size());
  if (out.size() >= buffered_) write(part);
}

void ScratchRows::write(std::size_t part) {
  std::string& bytes = buffers_[part];
  if (bytes.empty()) return;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(end_ + done));
    if (written < 0 && errno != EINTR) throw scratch_error(folder_, "cannot write");
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  pieces_[part].push_back({end_, bytes.size()});
  end_ += bytes.size();
  bytes.clear();
}

void ScratchRows::finish() {
  for (std::size_t part = 0; part < buffers_.size(); ++part) {
    write(part);
    buffers_[part] = std::string();
  }
}

void ScratchRows::load(const Piece& piece, std::string& bytes) const {
  bytes.resize(piece.size);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(piece.offset + done));
    if (got == 0 || (got < 0 && errno != EINTR)) throw scratch_error(folder_, "cannot read");
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
}

std::vector<RowBlock> ScratchRows::read(std::size_t part, const NewId& new_id) const {
  std::vector<RowBlock> blocks;
  RowBlockWriter writer;
  RowReader row;
  std::string piece;
  for (const Piece& where : pieces_[part]) {
    load(where, piece);
    for (std::string_view bytes = piece; !bytes.empty();) {
      row.take_row(bytes, new_id);
      writer.add(row.label, row.names, row.ids, row.values);
      if (writer.num_values() >= kScratchValuesPerBlock) blocks.push_back(writer.take());
    }
  }
  if (writer.num_rows() > 0) blocks.push_back(writer.take());
  return blocks;
}

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Rows of many parts on the disk, where they are gathered part by part. All are in one file, in pieces that belong to
// one part each: a file per part would be more than a process may have open. The file has no name, so that it goes away
// with the process, however that ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/row_block.h"

namespace dorm {

class ScratchRows {
 public:
  /// In this folder. Throws Error(io), as all that follows, when the disk is full.
  ScratchRows(std::string folder, std::size_t parts);
  ~ScratchRows();
  ScratchRows(const ScratchRows&) = delete;
  ScratchRows& operator=(const ScratchRows&) = delete;

  void add(std::size_t part, float label, const RowBlockWriter::Names& names, const BlockRow& row);

  /// Writes what is still in memory; nothing may be added after it.
  void finish();

  /// What an id becomes; kPruned: its value is left out.
  using NewId = std::function<std::uint32_t(std::uint32_t)>;
  static constexpr std::uint32_t kPruned = UINT32_MAX;

  /// The rows of a part in the order in which they came.
  std::vector<RowBlock> read(std::size_t part, const NewId& new_id) const;

 private:
  struct Piece {
    std::uint64_t offset, size;
  };

  void write(std::size_t part);
  void load(const Piece& piece, std::string& bytes) const;

  std::string folder_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;  // of the file
  std::size_t buffered_;   // bytes of a part that are kept back
  std::vector<std::string> buffers_;
  std::vector<std::vector<Piece>> pieces_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// A folder of shards under construction: FOLDER/part-00017-of-00256.dorm. It is written beside its place and renamed,
// so that it is there whole or not at all.
#pragma once

#include <cstdint>
#include <string>

#include "data/io/binary/shard_list.h"
#include "dorm/dataset.h"
#include "dorm/write.h"

namespace dorm {

class ShardFolder {
 public:
  /// Throws Error(io) unless the folder can be made: nothing stands there, or an empty folder.
  ShardFolder(const std::string& folder, std::size_t num_shards, FileWriter writer);
  ~ShardFolder();
  ShardFolder(const ShardFolder&) = delete;
  ShardFolder& operator=(const ShardFolder&) = delete;

  /// The folder that it will stand in.
  const std::string& above() const { return above_; }

  /// `data` in canonical order. One without queries has no file.
  void write(std::uint32_t number, const Dataset& data);
  /// Puts the folder in its place. Once.
  ShardsWritten finish();

 private:
  void make();

  std::string shown_, folder_, above_;
  std::size_t num_shards_;
  FileWriter writer_;
  ShardsWritten written_;
  ShardList list_;
  std::string temporary_;  // empty: not made yet, or in its place
  int lock_ = -1;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The list of the files of a folder of shards, shards.json, by which a missing or foreign one is noticed. A shard
// without queries has no file, so names alone do not tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dorm {

inline constexpr const char* kShardListName = "shards.json";

struct ListedShard {
  std::string name;
  std::uint64_t queries = 0, documents = 0;
  std::uint64_t checksum = 0;  // of its header, which holds those of its content
};

struct ShardList {
  std::size_t num_shards = 0;
  std::vector<ListedShard> files = {};
};

std::string to_json(const ShardList& list);
/// Throws Error(bad_input).
ShardList parse_shard_list(std::string_view text, const std::string& name);

/// What the header of a file of the binary form states as its checksum; 0 where it is no such file.
std::uint64_t header_checksum(const std::string& path);

}  // namespace dorm

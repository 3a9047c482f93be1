// SPDX-License-Identifier: Apache-2.0
#include "data/io/binary/shard_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "data/io/files/temporary_file.h"
#include "dorm/error.h"

namespace dorm {
namespace {

Error folder_error(const std::string& shown, std::string_view action, const std::error_code& why) {
  return {ErrorCode::io, {shown, 0, 0}, fmt::format("{}: {}", action, why.message())};
}

// Locked while its process lives; -1: another process has it.
int lock_folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace

ShardFolder::ShardFolder(const std::string& folder, std::size_t num_shards, FileWriter writer)
    : shown_(folder), folder_(folder), num_shards_(num_shards), writer_(std::move(writer)) {
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  above_ = std::filesystem::path(folder_).parent_path().string();
  if (above_.empty()) above_ = ".";
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(folder_, error);
  if (std::filesystem::exists(there) &&
      (!std::filesystem::is_directory(there) || !std::filesystem::is_empty(folder_, error) || error))
    throw Error(ErrorCode::io, {shown_, 0, 0}, "is there already; expected a new name, or an empty folder");
  if (!std::filesystem::is_directory(above_, error))
    throw Error(ErrorCode::io, {shown_, 0, 0}, "cannot be written: there is no such folder; create it first");
}

ShardFolder::~ShardFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

// Under the first name that no living process uses; what a dead one has left there is removed.
void ShardFolder::make() {
  for (unsigned slot = 0; temporary_.empty(); ++slot) {
    const std::string path = fmt::format("{}.dorm-{}.tmp", folder_, slot);
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (error) throw folder_error(shown_, "cannot write", error);
    lock_ = lock_folder(path);
    if (lock_ < 0) continue;
    temporary_ = path;
    for (const auto& left : std::filesystem::directory_iterator(path, error)) std::filesystem::remove(left, error);
  }
}

void ShardFolder::write(std::uint32_t number, const Dataset& data) {
  if (data.num_queries() == 0) return;
  if (temporary_.empty()) make();
  const std::string name = shard_file_name(number, num_shards_), path = fmt::format("{}/{}", temporary_, name);
  writer_(path, [&](std::ostream& out) {
    write_binary(data, out);
    data.require_intact();
  });
  list_.files.push_back({name, data.num_queries(), data.num_documents(), header_checksum(path)});
  ++written_.files;
  written_.queries += data.num_queries();
  written_.documents += data.num_documents();
}

ShardsWritten ShardFolder::finish() {
  list_.num_shards = num_shards_;
  writer_(fmt::format("{}/{}", temporary_, kShardListName), [&](std::ostream& out) { out << to_json(list_); });
  std::error_code error;
  std::filesystem::rename(temporary_, folder_, error);
  if (error) throw folder_error(shown_, "cannot be put in its place", error);
  temporary_.clear();
  if (const int failed = sync_folder(above_); failed != 0)
    throw folder_error(shown_, "cannot write", {failed, std::generic_category()});
  return written_;
}

}  // namespace dorm

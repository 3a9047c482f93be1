// SPDX-License-Identifier: Apache-2.0
// Files of the operating system; the only place that opens paths for reading.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/io/files/fault_guard.h"

namespace dorm {

/// An open file; "-" is standard input. Throws Error(io) with the path and the reason, also when a regular file has
/// become shorter than it was when it was opened.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  const std::string& path() const { return path_; }
  bool regular() const { return regular_; }     // can be mapped
  std::uint64_t size() const { return size_; }  // 0 when it is not regular
  int descriptor() const { return descriptor_; }

  /// Up to `capacity` bytes; 0 at the end.
  std::size_t read(char* out, std::size_t capacity);

  /// `size` bytes from `offset` of a regular file, all of them within size(). Several threads may do so at a time.
  void read_at(std::uint64_t offset, char* out, std::size_t size) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t read_ = 0;
};

/// A regular file in memory, read-only. Its pages come from the file as they are touched; if the file becomes shorter
/// they are zero from there on, and lost() says so.
class FileMapping {
 public:
  explicit FileMapping(const InputFile& file);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  const std::atomic<bool>& lost() const { return guard_->lost(); }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::optional<FaultGuard> guard_;
};

/// The bytes of a file as they are.
std::string read_whole_file(const std::string& path);

/// Whether something that is not a directory exists at `path`.
bool file_exists(const std::string& path);

}  // namespace dorm

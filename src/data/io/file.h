// SPDX-License-Identifier: Apache-2.0
// Files of the operating system; the only place that opens paths for reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dorm {

/// An open file. Throws Error(io) with the path and the reason.
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

 private:
  std::string path_;
  int descriptor_ = -1;
  bool regular_ = false;
  std::uint64_t size_ = 0;
};

/// A regular file in memory, read-only. Its pages come from the file as they are touched.
class FileMapping {
 public:
  explicit FileMapping(const InputFile& file);
  ~FileMapping();
  FileMapping(FileMapping&& other) noexcept;
  FileMapping& operator=(FileMapping&&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  /// Releases the pages that lie wholly in [begin, end); touching them again reads them again.
  void release(std::size_t begin, std::size_t end) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The bytes of a file as they are.
std::string read_whole_file(const std::string& path);

/// Whether something that is not a directory exists at `path`.
bool file_exists(const std::string& path);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "dorm/error.h"

namespace dorm {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view action, int code) {
  throw Error(ErrorCode::io, {path, 0, 0}, fmt::format("{}: {}", action, std::generic_category().message(code)));
}

[[noreturn]] void fail_shorter(const std::string& path) {
  throw Error(ErrorCode::io, {path, 0, 0}, "became shorter while it was read; read it again when it is complete");
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
  descriptor_ = ::open(path == "-" ? "/dev/stdin" : path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0 && path == "-") descriptor_ = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);  // sockets have no path
  if (descriptor_ < 0) fail(path, "cannot open", errno);
  struct stat status {};
  const int failed = ::fstat(descriptor_, &status) != 0 ? errno : 0;
  if (failed != 0 || S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    fail(path, "cannot read", failed != 0 ? failed : EISDIR);
  }
  regular_ = S_ISREG(status.st_mode);
  if (regular_) size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      regular_(other.regular_),
      size_(other.size_),
      read_(other.read_) {}

void InputFile::read_at(std::uint64_t offset, char* out, std::size_t size) const {
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::pread(descriptor_, out + done, size - done, static_cast<off_t>(offset + done));
    if (n == 0) fail_shorter(path_);
    if (n < 0 && errno != EINTR) fail(path_, "cannot read", errno);
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
}

std::size_t InputFile::read(char* out, std::size_t capacity) {
  for (;;) {
    const ssize_t n = ::read(descriptor_, out, capacity);
    if (n == 0 && capacity > 0 && read_ < size_) fail_shorter(path_);
    read_ += n > 0 ? static_cast<std::uint64_t>(n) : 0;
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) fail(path_, "cannot read", errno);
  }
}

FileMapping::FileMapping(const InputFile& file) : size_(file.size()) {
  if (size_ > 0) {
    void* pages = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (pages == MAP_FAILED) fail(file.path(), "cannot map", errno);
    ::madvise(pages, size_, MADV_SEQUENTIAL);
    data_ = static_cast<const char*>(pages);
  }
  guard_.emplace(data_, size_);
}

FileMapping::~FileMapping() {
  guard_.reset();
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

std::string read_whole_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  InputFile file(path);
  std::string content;
  for (std::size_t length = 0;;) {
    content.resize(length + kPiece);
    const std::size_t read = file.read(content.data() + length, kPiece);
    content.resize(length += read);
    if (read == 0) return content;
  }
}

bool file_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

}  // namespace dorm

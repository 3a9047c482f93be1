// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: written beside their destination, flushed to the disk, renamed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "data/io/output_stream.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

Error io_error(const std::string& path, std::string_view action, int code) {
  return {ErrorCode::io, {path, 0, 0}, fmt::format("{}: {}", action, std::generic_category().message(code))};
}

// Closes a descriptor; close() returns whether that succeeded.
class Descriptor {
 public:
  Descriptor(int value, const std::string& path) : value_(value) {
    if (value < 0) throw io_error(path, "cannot write", errno);
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }
  void close(const std::string& path) {
    if (::close(std::exchange(value_, -1)) != 0) throw io_error(path, "cannot write", errno);
  }

 private:
  int value_;
};

// Removes a temporary file unless it has been renamed.
class Temporary {
 public:
  explicit Temporary(std::string path) : path_(std::move(path)) {}
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void rename_to(const std::string& destination) {
    if (::rename(path_.c_str(), destination.c_str()) != 0) throw io_error(destination, "cannot replace", errno);
    path_.clear();
  }

 private:
  std::string path_;
};

void write_to(int descriptor, const std::string& path, const std::function<void(std::ostream&)>& body) {
  const std::unique_ptr<ByteSink> sink = open_sink(descriptor, path, compression_of_name(path));
  SinkBuffer buffer(*sink);
  std::ostream out(&buffer);
  body(out);
  buffer.finish();
}

void write_directly(const std::string& path, const std::function<void(std::ostream&)>& body) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
  write_to(file.value(), path, body);
  file.close(path);
}

// A new file beside `destination`, with the permissions any new file gets.
int create_beside(const std::string& destination, std::string& path) {
  for (unsigned attempt = 0;; ++attempt) {
    path = fmt::format("{}.{}-{}.tmp", destination, ::getpid(), attempt);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

// The file at the end of a chain of symbolic links, so that this file is replaced and the link stays a link.
std::string resolved(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::canonical(path, failed);
  return failed ? path : target.string();
}

void write_and_rename(const std::string& path, const std::function<void(std::ostream&)>& body) {
  const std::string destination = resolved(path);
  std::string beside;
  Descriptor file(create_beside(destination, beside), path);
  Temporary temporary(beside);
  write_to(file.value(), path, body);
  if (::fsync(file.value()) != 0) throw io_error(path, "cannot write", errno);
  file.close(path);
  temporary.rename_to(destination);
}

}  // namespace

void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& body) {
  if (path == "-") {
    write_to(STDOUT_FILENO, "standard output", body);
    return;
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw io_error(path, "cannot write", EISDIR);
  if (exists && ::access(path.c_str(), W_OK) != 0) throw io_error(path, "cannot write", errno);
  // /dev/stdout may lead to a regular file, but that file must not be replaced.
  if (exists && (!S_ISREG(status.st_mode) || path.starts_with("/dev/")))
    write_directly(path, body);
  else
    write_and_rename(path, body);
}

}  // namespace dorm

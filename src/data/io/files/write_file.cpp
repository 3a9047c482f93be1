// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: written beside their destination, flushed to the disk, renamed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/signals_wait.h"
#include "data/io/files/output_stream.h"
#include "data/io/files/temporary_file.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

Error not_writable(const std::string& path, int code) {
  return {ErrorCode::io, {path, 0, 0}, fmt::format("cannot write: {}", std::generic_category().message(code))};
}

void write_to(int descriptor, const std::string& path, const std::function<void(std::ostream&)>& body) {
  const std::unique_ptr<ByteSink> sink = open_sink(descriptor, path, compression_of_name(path));
  SinkBuffer buffer(*sink);
  std::ostream out(&buffer);
  body(out);
  buffer.finish();
}

void write_directly(const std::string& path, const std::function<void(std::ostream&)>& body) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw not_writable(path, errno);
  try {
    write_to(descriptor, path, body);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0) throw not_writable(path, errno);
}

// The file at the end of a chain of symbolic links, there or not: it is written, and the links stay links.
std::string resolved(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as the system follows
  std::filesystem::path at = path;
  for (int link = 0; link <= kMostLinks; ++link) {
    std::error_code not_a_link;
    const std::filesystem::path target = std::filesystem::read_symlink(at, not_a_link);
    if (not_a_link) return at.string();
    at = at.parent_path() / target;  // an absolute target stands alone
  }
  throw not_writable(path, ELOOP);
}

// Whether `path` is written as it stands (a device, a pipe) instead of replaced. Throws when it cannot be written.
bool written_directly(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) throw not_writable(path, EISDIR);
  if (::access(path.c_str(), W_OK) != 0) throw not_writable(path, errno);
  // An open stream may lead to a regular file, but that file must not be replaced. Files in /dev/shm are files.
  const bool stream = path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
                      path.starts_with("/proc/self/fd/");
  return stream || !S_ISREG(status.st_mode);
}

}  // namespace

void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& body) {
  if (path == "-") return write_to(STDOUT_FILENO, "standard output", body);
  if (written_directly(path)) return write_directly(path, body);
  TemporaryFile file(path, resolved(path));
  write_to(file.descriptor(), path, body);
  file.replace_destination();
}

void require_writable(const std::string& path) {
  if (path == "-" || written_directly(path)) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorCode::io, {path, 0, 0}, "cannot be written: there is no such folder; create it first");
  const SignalsWait wait;  // none ends the process while a file is there for a moment only
  const TemporaryFile probe(path, resolved(path));
}

}  // namespace dorm

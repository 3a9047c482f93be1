// SPDX-License-Identifier: Apache-2.0
#include "input/download.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "data/io/files/file.h"
#include "dorm/error.h"
#include "lab/experiment/sha256.h"

namespace dorm::cli {
namespace {

/// A name beside `path` that goes away unless it is renamed.
class PartFile {
 public:
  explicit PartFile(const std::string& path) : name_(path + ".part") {}
  ~PartFile() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

int run_curl(const std::string& url, const std::string& to) {
  std::string words[] = {"curl", "--fail", "--silent", "--show-error", "--location", "--output", to, url};
  char* arguments[std::size(words) + 1] = {};
  for (std::size_t i = 0; i < std::size(words); ++i) arguments[i] = words[i].data();
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, "curl", nullptr, nullptr, arguments, environ); error != 0)
    throw Error(ErrorCode::io, fmt::format("cannot run curl ({}); fetch {} by hand", std::strerror(error), url));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

void download(const std::string& url, const std::string& path, const std::string& sha256) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  const PartFile part(path);
  if (const int status = run_curl(url, part.name()); status != 0)
    throw Error(ErrorCode::io, fmt::format("{} could not be fetched (curl ended with {})", url, status));
  const std::string found = dorm::sha256(read_whole_file(part.name()));
  if (found != sha256)
    throw Error(ErrorCode::io, fmt::format("{} is not the file expected: SHA-256 {}, expected {}; nothing was kept",
                                           url, found, sha256));
  std::filesystem::rename(part.name(), path);
}

}  // namespace dorm::cli

// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/peek.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "data/io/files/file.h"

namespace dorm {
namespace {

// A pipe that stays open when the path is closed again; a named one would lose its writer.
bool is_own_pipe(const std::string& path) {
  struct stat status {};
  const bool own = path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
  return own && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

#if defined(__linux__)

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Pipe() {
    for (const int end : ends_)
      if (end >= 0) ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int in() const { return ends_[1]; }
  int out() const { return ends_[0]; }

 private:
  int ends_[2];
};

// tee() copies from one pipe into another without taking anything away.
std::string first_bytes_of_pipe(const InputFile& file, std::size_t count) {
  for (;;) {
    pollfd source{file.descriptor(), POLLIN, 0};
    if (::poll(&source, 1, -1) < 0 && errno != EINTR) return {};
    const bool complete = (source.revents & (POLLHUP | POLLERR)) != 0;  // all writers have gone: nothing will follow
    const Pipe copy;
    if (copy.in() < 0) return {};
    const ssize_t copied = ::tee(file.descriptor(), copy.in(), count, SPLICE_F_NONBLOCK);
    if (copied < 0 && errno != EAGAIN && errno != EINTR) return {};
    std::string head(static_cast<std::size_t>(std::max<ssize_t>(0, copied)), '\0');
    if (copied > 0 && ::read(copy.out(), head.data(), head.size()) != copied) return {};
    if (complete || head.size() == count) return head;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a slow writer has begun
  }
}

#else

std::string first_bytes_of_pipe(const InputFile&, std::size_t) { return {}; }

#endif

}  // namespace

std::string first_bytes(const std::string& name, std::size_t count) {
  const std::string path = name == "-" ? "/dev/stdin" : name;
  struct stat status {};
  const bool regular = ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);  // what is not there: let it fail
  if (!regular && !is_own_pipe(path)) return {};
  InputFile file(path);
  if (!regular) return first_bytes_of_pipe(file, count);
  std::string head(count, '\0');
  head.resize(file.read(head.data(), count));
  return head;
}

}  // namespace dorm

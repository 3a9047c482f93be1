// SPDX-License-Identifier: Apache-2.0
#include "text/messages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/quote.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

int output_error = 0;            // of the first print() that failed
bool pipe_signal_wanted = true;  // the process was not started with SIGPIPE ignored

bool silent = false;

// 0, or the reason for which not all could be written.
int write_all(int descriptor, std::string_view text) {
  if (silent) return 0;
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void print(const std::string& text) {
  const std::string shown = rendered(text, colored(STDOUT_FILENO), printable);
  if (const int error = write_all(STDOUT_FILENO, shown); error != 0 && output_error == 0) output_error = error;
}

void say(const std::string& text) { write_all(STDERR_FILENO, rendered(text, colored(STDERR_FILENO), printable)); }

void say_in_place(const std::string& line) {
  write_all(STDERR_FILENO, fmt::format("\r{}\x1b[K", rendered(line, colored(STDERR_FILENO), printable)));
}

void silence_output() { silent = true; }

void restore_output() {
  constexpr unsigned kSecondsForTheOther = 3;
  if (!silent) return;
  ::sleep(kSecondsForTheOther);
  silent = false;
}

void open_standard_streams() {
  // The wrong way round, so that using them fails as it does on closed ones.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest number that is free
  pipe_signal_wanted = std::signal(SIGPIPE, SIG_IGN) != SIG_IGN;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, too
}

QuietPipe::QuietPipe() {
  if (pipe_signal_wanted) std::signal(SIGPIPE, SIG_DFL);
}

QuietPipe::~QuietPipe() { std::signal(SIGPIPE, SIG_IGN); }

int status_of_output(int status) {
  if (output_error == 0 || status != 0) return status;
  if (output_error == EPIPE && pipe_signal_wanted) {
    const QuietPipe quiet;
    std::raise(SIGPIPE);
  }
  say(fmt::format("dorm: standard output: cannot write: {}\n", std::generic_category().message(output_error)));
  return 1;
}

}  // namespace dorm::cli

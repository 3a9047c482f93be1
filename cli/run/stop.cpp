// SPDX-License-Identifier: Apache-2.0
#include "run/stop.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

namespace dorm::cli {
namespace {

std::atomic<int> requested = 0;  // lock-free: a signal handler may touch it
static_assert(std::atomic<int>::is_always_lock_free);
std::atomic<const char*> said_at_once = nullptr;
std::atomic<bool> on_terminal = false;

void note(int signal) {
  if (requested.exchange(signal) != 0) {  // the second one means it
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (const char* text = said_at_once) {  // write() is among the few things a handler may call
    // On a terminal a line of progress, and ^C, may stand there.
    [[maybe_unused]] const auto line = on_terminal ? ::write(STDERR_FILENO, "\n", 1) : 0;
    [[maybe_unused]] const auto lost = ::write(STDERR_FILENO, text, std::strlen(text));
  }
}

}  // namespace

EndingSignals::EndingSignals(Handler handler) {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    ::sigaction(kSignals[i], nullptr, &now);  // asked first: a signal that comes meanwhile stays ignored, too
    before_[i] = now.sa_handler == SIG_IGN ? SIG_IGN : std::signal(kSignals[i], handler);
  }
}

EndingSignals::~EndingSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals[i], before_[i]);
}

StopRequest::StopRequest(const char* notice) : noted_(note) {
  said_at_once = notice;
  on_terminal = ::isatty(STDERR_FILENO) == 1;
}

int StopRequest::signal() const { return requested; }

}  // namespace dorm::cli

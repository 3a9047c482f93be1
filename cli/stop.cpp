// SPDX-License-Identifier: Apache-2.0
#include "stop.h"

#include <atomic>

namespace dorm::cli {
namespace {

std::atomic<int> requested = 0;  // lock-free: a signal handler may touch it
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  if (requested.exchange(signal) != 0) {  // the second one means it
    std::signal(signal, SIG_DFL);
    std::raise(signal);
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

StopRequest::StopRequest() : noted_(note) {}

int StopRequest::signal() const { return requested; }

}  // namespace dorm::cli

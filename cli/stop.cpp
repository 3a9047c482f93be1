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

StopRequest::StopRequest() {
  requested = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) before_[i] = std::signal(kSignals[i], note);
}

StopRequest::~StopRequest() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals[i], before_[i]);
}

int StopRequest::signal() const { return requested; }

}  // namespace dorm::cli

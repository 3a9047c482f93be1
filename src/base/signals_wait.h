// SPDX-License-Identifier: Apache-2.0
// Signals that wait while something must not be disturbed.
#pragma once

#include <csignal>

namespace dorm {

/// Signals to this thread, and to threads that it starts meanwhile for good, wait as long as this lives. Those that the
/// process ignores are dropped when it ends, whatever handlers came and went meanwhile.
class SignalsWait {
 public:
  enum class Which { all, to_stop };  // to_stop: SIGINT, SIGTERM and SIGHUP; faults of the thread itself do not wait

  explicit SignalsWait(Which which = Which::all) {
    sigset_t waiting;
    if (which == Which::all) {
      ::sigfillset(&waiting);
    } else {
      ::sigemptyset(&waiting);
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&waiting, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &waiting, &before_);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace dorm

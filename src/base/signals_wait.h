// SPDX-License-Identifier: Apache-2.0
// Signals that wait while something must not be disturbed.
#pragma once

#include <csignal>

namespace dorm {

/// Signals to this thread wait as long as this lives. Those that the process ignores are dropped when it ends, whatever
/// handlers came and went meanwhile.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace dorm

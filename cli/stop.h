// SPDX-License-Identifier: Apache-2.0
// Ending a long computation on request: the first Ctrl-C (or SIGTERM, SIGHUP) asks it to stop and to keep what it has;
// the second ends the process at once.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace dorm::cli {

/// Thrown once everything worth keeping is written; the exit status is 128 + signal, as shells have it.
struct Stopped {
  int signal;
};

/// While it lives, signals that would end the process are noted. One at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  /// The signal that came; 0: none. From any thread.
  int signal() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<void (*)(int), kSignals.size()> before_ = {};
};

}  // namespace dorm::cli

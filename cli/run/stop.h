// SPDX-License-Identifier: Apache-2.0
// Ending a long computation on request: the first Ctrl-C (or SIGTERM, SIGHUP) requests a stop that keeps the results so
// far; the second ends the process at once.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace dorm::cli {

/// Thrown once the results are written; the exit status is 128 + signal, as in shells.
struct Stopped {
  int signal;
};

/// While it lives, `handler` is called for the signals that would end the process. Signals that the process ignores
/// (nohup, jobs in the background) stay ignored.
class EndingSignals {
 public:
  using Handler = void (*)(int);

  explicit EndingSignals(Handler handler);
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<Handler, kSignals.size()> before_ = {};
};

/// While it lives, signals that would end the process are noted. One at a time.
class StopRequest {
 public:
  /// `notice`: printed on standard error as soon as a signal comes, before the work stops; null: nothing.
  explicit StopRequest(const char* notice = nullptr);

  /// The signal that came; 0: none. From any thread.
  int signal() const;

 private:
  EndingSignals noted_;
};

}  // namespace dorm::cli

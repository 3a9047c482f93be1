// SPDX-License-Identifier: Apache-2.0
// Lines of the log, written by a thread of their own: an answer never waits for the log. Lines that come faster than
// they are written are dropped and counted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dorm/apps/serve.h"

namespace dorm::serve {

class LogWriter {
 public:
  /// `write` may be empty: then there is no log. A thread that cannot be started means that all lines are dropped.
  explicit LogWriter(Say write);
  /// Waits for the lines that are left as long as they are written; a writer that is stuck is left behind.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  bool wanted() const { return state_ != nullptr; }
  void add(std::string line) noexcept;
  std::uint64_t dropped() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread
};

}  // namespace dorm::serve

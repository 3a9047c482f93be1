// SPDX-License-Identifier: Apache-2.0
// Progress of slow work on standard error: on a terminal one changing line, with a bar where the finished share is
// known; elsewhere plain lines at growing intervals. Nothing in the first two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace dorm::cli {

class LiveLine {
 public:
  LiveLine();
  ~LiveLine();  // clears the line
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  double seconds() const;  // since construction
  bool due() const;        // time to show something
  bool terminal() const { return terminal_; }
  void show(const std::string& text);
  /// With a bar on a terminal; `share` of the work is done, 0 to 1. NaN: not known, no bar.
  void show(double share, const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_, next_;
};

class ReadProgress {
 public:
  explicit ReadProgress(std::string what) : what_(std::move(what)) {}

  /// From any thread; `total` 0 means that it is not known.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  std::string what_;
  LiveLine line_;
  std::mutex mutex_;
};

/// From now on progress is shown from its start, not after two seconds.
void show_progress_early();

/// "8 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace dorm::cli

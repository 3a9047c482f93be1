// SPDX-License-Identifier: Apache-2.0
// Progress of a slow read on standard error: one line that changes on a terminal, a plain line now and then
// elsewhere, nothing for reads of under two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace dorm::cli {

class ReadProgress {
 public:
  explicit ReadProgress(std::string what);
  ~ReadProgress();  // clears the line
  ReadProgress(const ReadProgress&) = delete;
  ReadProgress& operator=(const ReadProgress&) = delete;

  /// From any thread; `total` 0 means that it is not known.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_, next_;
  std::mutex mutex_;
};

}  // namespace dorm::cli

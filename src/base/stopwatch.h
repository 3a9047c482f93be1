// SPDX-License-Identifier: Apache-2.0
// Wall-clock time since construction.
#pragma once

#include <algorithm>
#include <chrono>

namespace dorm {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// A limit on the seconds from now on; 0: none.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds) : seconds_(seconds) {}

  bool over() const { return seconds_ > 0 && watch_.seconds() >= seconds_; }
  /// For what is still to be done, as a limit of its own: 0 if there is none, next to nothing when it is over.
  double left() const { return seconds_ > 0 ? std::max(1e-9, seconds_ - watch_.seconds()) : 0.0; }

 private:
  double seconds_;
  Stopwatch watch_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Wall-clock time since construction, limits on it, and how a long computation learns that it is over.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

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
  using Clock = std::function<double()>;  // seconds passed, in place of those of the wall

  explicit TimeLimit(double seconds, Clock clock = {}) : seconds_(seconds), clock_(std::move(clock)) {}

  bool over() const { return seconds_ > 0 && passed() >= seconds_; }
  /// For what is still to be done, as a limit of its own: 0 if there is none, next to nothing when it is over.
  double left() const { return seconds_ > 0 ? std::max(1e-9, seconds_ - passed()) : 0.0; }

 private:
  double passed() const { return clock_ ? clock_() : watch_.seconds(); }

  double seconds_;
  Clock clock_;
  Stopwatch watch_;
};

/// Asked now and then inside a long computation: true when it is to end where it stands. Empty: never.
using StopAsked = std::function<bool()>;

/// Thrown out of a computation whose result nobody wants any more.
struct CutShort {};

}  // namespace dorm

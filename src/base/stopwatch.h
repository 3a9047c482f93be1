// SPDX-License-Identifier: Apache-2.0
// Wall-clock time since construction.
#pragma once

#include <chrono>

namespace dorm {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace dorm

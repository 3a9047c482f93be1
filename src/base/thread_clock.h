// SPDX-License-Identifier: Apache-2.0
// Processor time of the calling thread: unlike the wall clock, it does not count other threads and programs.
#pragma once

#include <ctime>

namespace dorm {

inline double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace dorm

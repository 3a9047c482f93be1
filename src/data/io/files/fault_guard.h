// SPDX-License-Identifier: Apache-2.0
// Mapped files that become shorter. Touching a page behind the new end of a file raises SIGBUS, which ends the process.
// A range under guard gets pages of zeros instead, and remembers it.
//
// The handler is installed once, with the first guard, and hands faults elsewhere on to the one that was there before.
#pragma once

#include <atomic>
#include <cstddef>

namespace dorm {

class FaultGuard {
 public:
  /// Guards the pages of [data, data + size), a mapping of a file. Throws Error(unsupported) when too many are guarded.
  FaultGuard(const char* data, std::size_t size);
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  /// Whether some of the pages have become zeros.
  const std::atomic<bool>& lost() const;

 private:
  std::size_t slot_;
};

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// The memory that the bodies of all requests and responses in flight may take together.
#pragma once

#include <atomic>
#include <cstddef>

namespace dorm::serve {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes) : bytes_(bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// False: fewer bytes are left, and none are taken.
  bool take(std::size_t bytes) noexcept {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > bytes_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  const std::size_t bytes_;
  std::atomic<std::size_t> used_ = 0;  // never above bytes_
};

/// The part of a budget that one connection holds; given back when it ends.
class MemoryShare {
 public:
  explicit MemoryShare(MemoryBudget& budget) : budget_(budget) {}
  ~MemoryShare() { budget_.give_back(bytes_); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  /// False: the budget has no room for that, and the share stays as it is.
  bool resize(std::size_t bytes) noexcept {
    if (bytes > bytes_ && !budget_.take(bytes - bytes_)) return false;
    if (bytes < bytes_) budget_.give_back(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }

 private:
  MemoryBudget& budget_;
  std::size_t bytes_ = 0;
};

}  // namespace dorm::serve

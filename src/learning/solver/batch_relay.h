// SPDX-License-Identifier: Apache-2.0
// Hands out short batches of work to threads that are already running. A batch takes tens of microseconds, about what
// it takes to wake a sleeping thread, so waiting threads spin and then yield.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

namespace dorm {

class BatchRelay {
 public:
  /// On one thread: body(index, worker) once for every index < count, on this thread and on those that follow. Returns
  /// when all are done; rethrows what a body threw, the lowest index first. Needs no follower.
  void run(std::size_t count, std::size_t worker, const std::function<void(std::size_t, std::size_t)>& body);

  /// On any other thread: works until finish() is called.
  void follow(std::size_t worker);
  void finish() { done_.store(true, std::memory_order_release); }

 private:
  bool work_once(std::size_t worker);

  // Indices of all batches are one sequence: a batch is [first_, limit_), and body_ belongs to it.
  const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
  std::size_t first_ = 0;
  std::atomic<std::size_t> next_{0}, limit_{0}, completed_{0};
  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failure_index_ = 0;
};

}  // namespace dorm

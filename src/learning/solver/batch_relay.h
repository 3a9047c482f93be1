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
  /// body(index, worker), called once per index from any thread.
  explicit BatchRelay(const std::function<void(std::size_t, std::size_t)>& body) : body_(body) {}

  /// On one thread: publishes [0, count) batch by batch, works too, and calls serial(first, last) after each. Rethrows
  /// what a body or serial threw, the lowest index first. Needs no follower.
  void lead(std::size_t count, std::size_t batch, std::size_t worker,
            const std::function<void(std::size_t, std::size_t)>& serial);

  /// On any other thread: works until the leader has finished.
  void follow(std::size_t worker);

 private:
  bool work_once(std::size_t worker);
  void lead_batches(std::size_t count, std::size_t batch, std::size_t worker,
                    const std::function<void(std::size_t, std::size_t)>& serial);

  const std::function<void(std::size_t, std::size_t)>& body_;
  std::atomic<std::size_t> next_{0}, limit_{0}, completed_{0};
  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failure_index_ = 0;
};

}  // namespace dorm

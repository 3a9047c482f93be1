// SPDX-License-Identifier: Apache-2.0
// Threads over independent pieces of work. Which thread runs which piece is not fixed, so results must be written by
// index; reductions are then done in index order, and do not depend on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace dorm {

/// The number of threads to use: `requested`, or all cores when it is 0. At most 64, or four per core where that is
/// more: whatever is asked for, a machine is not flooded.
std::size_t thread_count(std::size_t requested);

/// A fixed set of threads that live as long as the pool. One user at a time.
class ThreadPool {
 public:
  /// thread_count(threads), the caller among them. Where the system refuses one, the pool goes on with half of those it
  /// got: the others give their stacks back, since memory may be what was short.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  /// Calls body(index, worker) for every index in [0, count), worker < size(), and returns when all are done. The
  /// caller works too. If bodies throw, the exception of the lowest index is rethrown after all have stopped.
  void run(std::size_t count, const std::function<void(std::size_t index, std::size_t worker)>& body);

 private:
  void work(std::size_t worker);
  void serve(std::size_t worker);
  void retire_beyond(std::size_t kept);  // joins the workers above; to be called between runs

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
  std::size_t count_ = 0, next_ = 0;
  std::atomic<std::size_t> busy_ = 0, generation_ = 0;          // changed with the mutex held, read without it, too
  std::size_t kept_ = std::numeric_limits<std::size_t>::max();  // workers with a higher number end
  std::exception_ptr failure_;
  std::size_t failure_index_ = 0;
};

/// run() on a pool made for this call, of no more threads than there are pieces.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t index, std::size_t worker)>& body);

}  // namespace dorm

// SPDX-License-Identifier: Apache-2.0
// Threads over independent pieces of work. Which thread runs which piece is not fixed, so results must be written by
// index; reductions are then done in index order, and do not depend on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

namespace dorm {

/// The number of threads to use: `requested`, or all cores when it is 0. At most 64, or four per core where that is
/// more: whatever is asked for, a machine is not flooded.
std::size_t thread_count(std::size_t requested);

/// thread_count(requested), but no more than pay for work that takes one thread about this long: a small job is done
/// before others have started.
std::size_t threads_worth(std::size_t requested, std::uint64_t nanoseconds);

class PoolThread;

/// A set of threads for one user at a time. Threads outlive the pool: they are taken from those that other pools gave
/// back, which sleep meanwhile, so that making a pool costs little. Pools may be used inside the work of others, and by
/// several threads of the program at once. A forked process has none of the threads of its parent and makes its own; a
/// pool that it inherits goes on with the caller alone.
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
  void release_beyond(std::size_t kept, bool end);  // gives the workers above back, or ends them; between runs
  void forget_workers_of_another_process();

  std::vector<PoolThread*> workers_;
  unsigned process_;  // that made them, by the number of forks behind it
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
  std::size_t count_ = 0, serving_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> busy_ = 0, generation_ = 0;          // changed with the mutex held, read without it, too
  std::size_t kept_ = std::numeric_limits<std::size_t>::max();  // workers with a higher number leave
  std::exception_ptr failure_;
  std::size_t failure_index_ = 0;
};

/// run() on a pool of no more threads than there are pieces.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t index, std::size_t worker)>& body);

}  // namespace dorm

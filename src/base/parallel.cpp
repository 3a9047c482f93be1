// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>

namespace dorm {
namespace {

// Work often comes in many short runs, and waking a thread takes longer than polling for a while.
template <class Condition>
void wait_a_moment(Condition condition) {
  constexpr int kLooks = 2000;  // about 0.1 ms
  for (int look = 0; look < kLooks && !condition(); ++look) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

}  // namespace

std::size_t thread_count(std::size_t requested) {
  if (requested > 0) return requested;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(std::size_t threads) {
  for (std::size_t worker = 1; worker < std::max<std::size_t>(1, threads); ++worker)
    workers_.emplace_back([this, worker] { serve(worker); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    count_ = count;
    next_ = 0;
    busy_ = workers_.size();
    failure_ = nullptr;
    ++generation_;
  }
  start_.notify_all();
  work(0);
  wait_a_moment([this] { return busy_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  body_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

// Takes indices until none is left or one has failed.
void ThreadPool::work(std::size_t worker) {
  for (;;) {
    std::size_t index;
    {
      const std::lock_guard lock(mutex_);
      if (next_ >= count_) return;
      index = next_++;
    }
    try {
      (*body_)(index, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || index < failure_index_) {
        failure_ = std::current_exception();
        failure_index_ = index;
      }
      next_ = count_;
    }
  }
}

void ThreadPool::serve(std::size_t worker) {
  std::size_t seen = 0;
  for (;;) {
    wait_a_moment([&] { return generation_ != seen; });
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
    }
    work(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& body) {
  ThreadPool pool(std::min(thread_count(threads), std::max<std::size_t>(1, count)));
  pool.run(count, body);
}

}  // namespace dorm

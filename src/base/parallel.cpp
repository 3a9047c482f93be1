// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace dorm {
namespace {

// Beyond a few threads per core there is nothing to gain, and each takes address space for its stack.
constexpr std::size_t kThreadsPerCore = 4;
constexpr std::size_t kAlwaysAllowed = 64;

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
  const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  if (requested == 0) return cores;
  return std::min(requested, std::max(kAlwaysAllowed, kThreadsPerCore * cores));
}

ThreadPool::ThreadPool(std::size_t threads) {
  const std::size_t wanted = thread_count(std::max<std::size_t>(1, threads)) - 1;
  try {
    workers_.reserve(wanted);
    while (workers_.size() < wanted) workers_.emplace_back([this, worker = workers_.size() + 1] { serve(worker); });
  } catch (const std::system_error&) {  // a limit on processes, or no memory for another stack
    retire_beyond(workers_.size() / 2);
  } catch (const std::bad_alloc&) {
    retire_beyond(workers_.size() / 2);
  }
}

ThreadPool::~ThreadPool() { retire_beyond(0); }

void ThreadPool::retire_beyond(std::size_t kept) {
  {
    const std::lock_guard lock(mutex_);
    kept_ = kept;
  }
  start_.notify_all();
  for (std::size_t k = kept; k < workers_.size(); ++k) workers_[k].join();
  workers_.resize(kept);
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
      start_.wait(lock, [&] { return worker > kept_ || generation_ != seen; });
      if (worker > kept_) return;
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

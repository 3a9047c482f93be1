// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/signals_wait.h"

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

// A thread that does one duty after another and sleeps in between. Nobody waits for it when the program ends.
class PoolThread {
 public:
  static PoolThread* start() {
    auto made = std::make_unique<PoolThread>();
    // Who asks the program to stop is heard by the thread that runs it, which may have reasons to let it wait.
    const SignalsWait wait(SignalsWait::Which::to_stop);
    std::thread([thread = made.get()] { thread->live(); }).detach();
    return made.release();
  }

  void assign(std::function<void()> duty) {
    {
      const std::lock_guard lock(mutex_);
      duty_ = std::move(duty);
      awaited_ = true;
    }
    wake_.notify_one();
  }
  void end() { assign({}); }  // and it deletes itself

 private:
  void live() {
    for (;;) {
      wait_a_moment([this] { return awaited_.load(); });
      std::function<void()> duty;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return awaited_.load(); });
        duty = std::move(duty_);
        awaited_ = false;
      }
      if (!duty) break;
      duty();
    }
    delete this;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void()> duty_;
  std::atomic<bool> awaited_ = false;  // a duty, or the end if it is empty
};

namespace {

// The threads of this process that no pool has. Never destroyed: they may be asleep in it when the program ends.
class Reserve {
 public:
  static Reserve& instance() {
    static const int registered = ::pthread_atfork(nullptr, nullptr, [] { renew(); });
    static_cast<void>(registered);
    return *reinterpret_cast<Reserve*>(storage());
  }
  /// How many forks lie between the first process and this one.
  unsigned process() const { return process_; }

  PoolThread* take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        PoolThread* const thread = idle_.back();
        idle_.pop_back();
        return thread;
      }
    }
    return PoolThread::start();
  }

  void give_back(PoolThread* thread) {
    {
      const std::lock_guard lock(mutex_);
      if (idle_.size() < thread_count(0)) {
        idle_.push_back(thread);
        return;
      }
    }
    thread->end();
  }

 private:
  explicit Reserve(unsigned process) : process_(process) {}

  static std::byte* storage() {
    alignas(Reserve) static std::byte bytes[sizeof(Reserve)];
    static const Reserve* const made = new (bytes) Reserve(0);
    static_cast<void>(made);
    return bytes;
  }
  // In a forked process: the threads are gone, and the mutex may be held by one of them.
  static void renew() {
    Reserve& old = *reinterpret_cast<Reserve*>(storage());
    new (&old) Reserve(old.process_ + 1);
  }

  std::mutex mutex_;
  std::vector<PoolThread*> idle_;
  unsigned process_;
};

}  // namespace

std::size_t thread_count(std::size_t requested) {
  static const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());  // reads a file
  if (requested == 0) return cores;
  return std::min(requested, std::max(kAlwaysAllowed, kThreadsPerCore * cores));
}

std::size_t threads_worth(std::size_t requested, std::uint64_t nanoseconds) {
  constexpr std::uint64_t kWorthAThread = 500'000;  // to start and to join one takes about 100 us
  return std::min(thread_count(requested), static_cast<std::size_t>(1 + nanoseconds / kWorthAThread));
}

ThreadPool::ThreadPool(std::size_t threads) : process_(Reserve::instance().process()) {
  const std::size_t wanted = thread_count(std::max<std::size_t>(1, threads)) - 1;
  try {
    workers_.reserve(wanted);
    while (workers_.size() < wanted) {
      PoolThread* const thread = Reserve::instance().take();
      workers_.push_back(thread);
      ++serving_;
      thread->assign([this, worker = workers_.size()] { serve(worker); });
    }
  } catch (const std::system_error&) {  // a limit on processes, or no memory for another stack
    release_beyond(workers_.size() / 2, true);
  } catch (const std::bad_alloc&) {
    release_beyond(workers_.size() / 2, true);
  }
}

ThreadPool::~ThreadPool() {
  forget_workers_of_another_process();
  release_beyond(0, false);
}

void ThreadPool::forget_workers_of_another_process() {
  if (process_ != Reserve::instance().process()) workers_.clear();
}

void ThreadPool::release_beyond(std::size_t kept, bool end) {
  if (workers_.size() == kept) return;
  std::unique_lock lock(mutex_);
  kept_ = kept;
  start_.notify_all();
  done_.wait(lock, [&] { return serving_ == kept; });
  for (std::size_t k = kept; k < workers_.size(); ++k)
    end ? workers_[k]->end() : Reserve::instance().give_back(workers_[k]);
  workers_.resize(kept);
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  forget_workers_of_another_process();
  if (workers_.empty() || count == 1) {
    for (std::size_t index = 0; index < count; ++index) body(index, 0);
    return;
  }
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
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Takes indices until none is left or one has failed.
void ThreadPool::work(std::size_t worker) {
  for (std::size_t index; (index = next_.fetch_add(1)) < count_;) {
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
      if (worker > kept_) {
        --serving_;
        done_.notify_one();
        return;
      }
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
